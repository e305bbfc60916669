//! Filters for system calls, and for the files that candidates may access.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// System calls that only attackers or administrators need, and those that allocate memory that belongs to no process,
/// so that no limit applies to it.
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
    // Sockets that are sent over each other outlive their sender, with everything that they hold.
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
/// System calls that the library does not name yet; the numbers are the same on all architectures.
const CACHESTAT: i64 = 451;
const STATMOUNT: i64 = 457;
const LISTMOUNT: i64 = 458;
/// System calls that do nothing and succeed, because their effect would be visible outside. A lock on a file of the
/// host's software would block others, and would reveal who else holds one.
const EMPTY: &[i64] = &[libc::SYS_fadvise64, libc::SYS_flock, libc::SYS_sync, libc::SYS_syncfs];
/// Commands of `fcntl` that do nothing and succeed: locks.
const EMPTY_COMMANDS: &[i32] =
    &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
/// Commands of `fcntl` that are refused: they reveal who else opens a file, or make others wait.
const REFUSED_COMMANDS: &[i32] = &[libc::F_SETLEASE, libc::F_GETLEASE, libc::F_NOTIFY];
/// Flags of `clone` that create namespaces.
const NAMESPACES: u64 = 0x7e02_0080;

/// The compiled filters. A refused call fails with an error that programs understand.
pub(super) fn programs() -> Result<[BpfProgram; 2], String> {
    Ok([empty_calls()?, program_with(&[])?])
}

/// The filters for the fork server, which makes a process namespace for every candidate. Its forks have the filter
/// too, but not the capability without which the kernel refuses the calls that are allowed here.
pub(super) fn programs_for_forks() -> Result<[BpfProgram; 2], String> {
    Ok([empty_calls()?, program_with(&[libc::SYS_setns, libc::SYS_unshare])?])
}

/// A rule that matches if the argument compares so with the value.
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

/// Compiles a filter: calls that match a rule are not executed and return this error, or none.
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
        // Both take the kind as their last argument, `setns` after the file descriptor.
        let argument = u8::from(call == libc::SYS_setns);
        let kind = u64::try_from(libc::CLONE_NEWPID).unwrap_or_default();
        rules.insert(call, vec![rule(argument, kind, SeccompCmpOp::Ne)?]);
    }
    // Only sockets within the sandbox are allowed: there is no network.
    let local = u64::try_from(libc::AF_UNIX).unwrap_or_default();
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![rule(0, local, SeccompCmpOp::Ne)?]);
    }
    let mut asks_for_namespace = Vec::new();
    for bit in (0..32).map(|shift| 1_u64 << shift).filter(|bit| NAMESPACES & bit != 0) {
        asks_for_namespace.push(rule(0, bit, SeccompCmpOp::MaskedEq(bit))?);
    }
    rules.insert(libc::SYS_clone, asks_for_namespace);
    // Refuses typing into the terminal that assay was started from.
    rules.insert(libc::SYS_ioctl, vec![rule(1, libc::TIOCSTI, SeccompCmpOp::Eq)?]);
    rules.insert(libc::SYS_fcntl, commands(REFUSED_COMMANDS)?);
    // Reading only cached data would reveal what others have read.
    let cached = u64::try_from(libc::RWF_NOWAIT).unwrap_or_default();
    rules.insert(libc::SYS_preadv2, vec![rule(5, cached, SeccompCmpOp::MaskedEq(cached))?]);
    let mut program = compile(rules, libc::EPERM)?;
    hide_clone3(&mut program);
    Ok(program)
}

/// Hides `clone3`, whose flags a filter cannot inspect: libraries then use `clone`.
fn hide_clone3(program: &mut BpfProgram) {
    use seccompiler::sock_filter;
    const LOAD_CALL: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    // The same calls with x32 numbers, which the rules do not cover.
    const OTHER_NUMBERS: u32 = 0x4000_0000;
    let refuse = 0x0005_0000 | u32::try_from(libc::ENOSYS).unwrap_or(38);
    let call = u32::try_from(libc::SYS_clone3).unwrap_or(435);
    // The filter starts with a check of the architecture. This goes before it, for numbers that are the same on all
    // supported architectures.
    let head = [
        sock_filter { code: LOAD_CALL, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_EQUAL, jt: 1, jf: 0, k: call },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: OTHER_NUMBERS },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: refuse },
    ];
    program.splice(0..0, head);
}

/// Checks that the kernel supports filters.
pub(super) fn check() -> Result<(), String> {
    programs()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Without `/proc` this is unknown; the start of a candidate would then fail.
    if status.is_empty() || status.contains("Seccomp:") {
        return Ok(());
    }
    Err("the kernel has no seccomp".to_owned())
}

/// The version of Landlock that the kernel has.
pub(super) fn landlock_abi() -> Result<i32, String> {
    let handled = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    handled.map(|_| 1).map_err(|error| error.to_string())
}

/// Restricts this process and its children to writing in `writable` and to devices, and to no connections. On an older
/// kernel, restricts as much of that as it supports.
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
