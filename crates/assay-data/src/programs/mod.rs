//! Files of problems whose answers are programs: HumanEval and MBPP, with EvalPlus's inputs, and
//! HumanEvalPack, TransCoder's GeeksForGeeks programs, and [`apps`].
//!
//! [`Records`] streams the records of a file, one at a time, any number of times;
//! [`FunctionProblem`] and [`MbppProblem`] are the contents of one.

pub mod apps;
mod constants;
mod function;
mod geeks;
mod mbpp;
mod origin;
mod pack;
mod records;

pub use function::{FunctionProblem, Inputs};
pub use geeks::{GeeksProblem, open_geeks, read_geeks};
pub use mbpp::MbppProblem;
pub use origin::Origin;
pub use pack::PackProblem;
pub use records::{Record, Records, TakeRecord};
