//! Filters of system calls, and of the files that programs may touch.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Everything that only mischief, or a system's administrator, asks for; and memory that belongs to no
/// process, so that no limit holds it.
const REFUSED: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    CACHESTAT,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    LISTMOUNT,
    libc::SYS_lookup_dcookie,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_mincore,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_name_to_handle_at,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_personality,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_semget,
    // Sockets that are sent over each other outlive whoever sent them, with all that they hold.
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_shmat,
    libc::SYS_shmget,
    STATMOUNT,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];
/// Calls that the library does not name yet; the numbers are the same everywhere.
const CACHESTAT: i64 = 451;
const STATMOUNT: i64 = 457;
const LISTMOUNT: i64 = 458;
/// Calls that do nothing and succeed: what they do would be felt outside. A lock on a file of the machine's
/// software would stop others, and who else holds one is nobody's business.
const EMPTY: &[i64] = &[libc::SYS_fadvise64, libc::SYS_flock, libc::SYS_sync, libc::SYS_syncfs];
/// Commands of `fcntl` that do nothing and succeed: locks.
const EMPTY_COMMANDS: &[i32] =
    &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
/// Commands of `fcntl` that are refused: they tell who else opens a file, or makes others wait.
const REFUSED_COMMANDS: &[i32] = &[libc::F_SETLEASE, libc::F_GETLEASE, libc::F_NOTIFY];
/// Flags of `clone` that ask for namespaces.
const NAMESPACES: u64 = 0x7e02_0080;

/// The filters, for the kernel. What they refuse fails with an error that programs understand.
pub(super) fn programs() -> Result<[BpfProgram; 2], String> {
    Ok([empty_calls()?, program_with(&[])?])
}

/// The filters for the server that makes a process namespace for every program. What it forks has the
/// filter too, but not the capability without which the kernel refuses what is let through here.
pub(super) fn programs_for_forks() -> Result<[BpfProgram; 2], String> {
    Ok([empty_calls()?, program_with(&[libc::SYS_setns, libc::SYS_unshare])?])
}

/// A rule that holds if an argument is so.
fn rule(argument: u8, value: u64, how: SeccompCmpOp) -> Result<SeccompRule, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| error.to_string())
}

fn commands(commands: &[i32]) -> Result<Vec<SeccompRule>, String> {
    let number = |&command| u64::try_from(command).unwrap_or_default();
    commands.iter().map(|command| rule(1, number(command), SeccompCmpOp::Eq)).collect()
}

/// The filter of calls that do nothing.
fn empty_calls() -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        EMPTY.iter().map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_fcntl, commands(EMPTY_COMMANDS)?);
    compile(rules, 0)
}

/// A filter under which calls that match a rule do not happen and end with this error, or with none.
fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let errno = SeccompAction::Errno(u32::try_from(errno).unwrap_or_default());
    SeccompFilter::new(rules, SeccompAction::Allow, errno, arch)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())
}

fn program_with(namespaces: &[i64]) -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    for &call in namespaces {
        // Both take the kind as their last argument, `setns` after the file.
        let argument = u8::from(call == libc::SYS_setns);
        let kind = u64::try_from(libc::CLONE_NEWPID).unwrap_or_default();
        rules.insert(call, vec![rule(argument, kind, SeccompCmpOp::Ne)?]);
    }
    // Only sockets within the sandbox: there is no network to talk to.
    let local = u64::try_from(libc::AF_UNIX).unwrap_or_default();
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![rule(0, local, SeccompCmpOp::Ne)?]);
    }
    let mut asks_for_namespace = Vec::new();
    for bit in (0..32).map(|shift| 1_u64 << shift).filter(|bit| NAMESPACES & bit != 0) {
        asks_for_namespace.push(rule(0, bit, SeccompCmpOp::MaskedEq(bit))?);
    }
    rules.insert(libc::SYS_clone, asks_for_namespace);
    // Typing into the terminal of whoever started assay.
    rules.insert(libc::SYS_ioctl, vec![rule(1, libc::TIOCSTI, SeccompCmpOp::Eq)?]);
    rules.insert(libc::SYS_fcntl, commands(REFUSED_COMMANDS)?);
    // Reading only what is in the machine's cache tells what others have read.
    let cached = u64::try_from(libc::RWF_NOWAIT).unwrap_or_default();
    rules.insert(libc::SYS_preadv2, vec![rule(5, cached, SeccompCmpOp::MaskedEq(cached))?]);
    let mut program = compile(rules, libc::EPERM)?;
    hide_clone3(&mut program);
    Ok(program)
}

/// `clone3` has its flags where a filter cannot look, so it is not there: libraries then use `clone`.
fn hide_clone3(program: &mut BpfProgram) {
    use seccompiler::sock_filter;
    const LOAD_CALL: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    // The same calls by other numbers (x32), which the rules do not know.
    const OTHER_NUMBERS: u32 = 0x4000_0000;
    let refuse = 0x0005_0000 | u32::try_from(libc::ENOSYS).unwrap_or(38);
    let call = u32::try_from(libc::SYS_clone3).unwrap_or(435);
    // The filter begins with a look at the architecture: this goes before it, for numbers that are
    // the same on all that are supported.
    let head = [
        sock_filter { code: LOAD_CALL, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_EQUAL, jt: 1, jf: 0, k: call },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: OTHER_NUMBERS },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: refuse },
    ];
    program.splice(0..0, head);
}

/// Returns whether the kernel knows filters.
pub(super) fn check() -> Result<(), String> {
    programs()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Without /proc it cannot be told beforehand; a program's start would then fail.
    if status.is_empty() || status.contains("Seccomp:") {
        return Ok(());
    }
    Err("the kernel has no seccomp".to_owned())
}

/// Returns the version of Landlock that the kernel has.
pub(super) fn landlock_abi() -> Result<i32, String> {
    let handled = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    handled.map(|_| 1).map_err(|error| error.to_string())
}

/// From now on, this process and all that it starts may write in `writable` and to devices only, and
/// connect to nothing. Where the kernel is older, as much of that as it knows.
pub(super) fn restrict_files(writable: &str) -> Result<(), String> {
    let abi = ABI::V6;
    let told = |error: landlock::RulesetError| error.to_string();
    let path = |path: &str| PathFd::new(path).map_err(|error| error.to_string());
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .map_err(told)?
        .add_rule(PathBeneath::new(path("/")?, AccessFs::from_read(abi)))
        .map_err(told)?
        .add_rule(PathBeneath::new(path(writable)?, AccessFs::from_all(abi)))
        .map_err(told)?;
    for device in ["/dev/null", "/dev/zero", "/dev/full"] {
        if let Ok(device) = PathFd::new(device) {
            rules =
                rules.add_rule(PathBeneath::new(device, AccessFs::from_file(abi))).map_err(told)?;
        }
    }
    rules.restrict_self().map(|_| ()).map_err(told)
}
