//! Starts processes that do not outlive the one that started them, even if that one is killed.
//!
//! Between a process and its [`Guarded`] child stands a guard: the same executable, started again in a hidden mode
//! ([`become_guard_if_asked`]). The guard holds one end of a socket. When the other end closes, for whatever reason, it
//! kills everything that descends from the child. It is the reaper of that subtree, so a process that daemonises or
//! starts a session of its own stays within its reach.

mod command;
mod guard;
mod guarded;
mod wire;

pub use command::{GuardedCommand, Input, Output};
pub use guard::{become_guard_if_asked, use_executable};
pub use guarded::Guarded;
