//! Serves a model that gives the same reply to everything, until it is ended.
//!
//! ```sh
//! cargo run --release -p assay-testserver --example serve
//! assay run humaneval --data sample --solver http:stored@http://127.0.0.1:PORT
//! ```

use assay_testserver::{Generations, ServerSettings, TestServer};

const REPLY: &str = "Here is the program:\n\n```python\ndef solve(numbers, threshold):\n    \
    for place, number in enumerate(numbers):\n        \
    for other in numbers[place + 1:]:\n            \
    if abs(number - other) < threshold:\n                return True\n    return False\n```\n\n\
    It compares every number with those after it.\n";

fn main() -> std::io::Result<()> {
    let server = TestServer::start(ServerSettings::new(Generations::always(REPLY)))?;
    #[expect(clippy::print_stdout, reason = "its address is what it is started for")]
    {
        println!("{}", server.url());
    }
    loop {
        std::thread::park();
    }
}
