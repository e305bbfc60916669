//! Any bytes as the archive in a sealed file: it is refused, or it matches its manifest.

#![no_main]

use assay_data::seal::examine_archive;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(commitment) = examine_archive(bytes, "archive") {
        assert!(commitment.files > 0);
    }
});
