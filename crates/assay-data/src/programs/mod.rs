//! Files of problems whose answers are programs: HumanEval and MBPP, with EvalPlus's inputs.
//!
//! [`Records`] streams the records of a file, one at a time, as often as asked; [`FunctionProblem`]
//! and [`MbppProblem`] say what stands in one.

mod constants;
mod function;
mod mbpp;
mod records;

pub use function::{FunctionProblem, Inputs};
pub use mbpp::MbppProblem;
pub use records::{Record, Records, TakeRecord};
