//! What programs may ask of the kernel, and which files they may touch.

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
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
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
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_shmat,
    libc::SYS_shmget,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];
/// Flags of `clone` that ask for namespaces.
const NAMESPACES: u64 = 0x7e02_0080;

/// The filter, for the kernel. What it refuses fails with an error that programs understand.
pub(super) fn program() -> Result<BpfProgram, String> {
    program_with(&[])
}

/// The filter for the server that makes a process namespace for every program. What it forks has the
/// filter too, but not the capability without which the kernel refuses what is let through here.
pub(super) fn program_for_forks() -> Result<BpfProgram, String> {
    program_with(&[libc::SYS_setns, libc::SYS_unshare])
}

fn program_with(namespaces: &[i64]) -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    let refuse = |argument, value: u64, how| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map_err(|error| error.to_string())
    };
    for &call in namespaces {
        // Both take the kind as their last argument, `setns` after the file.
        let argument = u8::from(call == libc::SYS_setns);
        let kind = u64::try_from(libc::CLONE_NEWPID).unwrap_or_default();
        rules.insert(call, vec![refuse(argument, kind, SeccompCmpOp::Ne)?]);
    }
    // Only sockets within the sandbox: there is no network to talk to.
    let local = u64::try_from(libc::AF_UNIX).unwrap_or_default();
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![refuse(0, local, SeccompCmpOp::Ne)?]);
    }
    let mut asks_for_namespace = Vec::new();
    for bit in (0..32).map(|shift| 1_u64 << shift).filter(|bit| NAMESPACES & bit != 0) {
        asks_for_namespace.push(refuse(0, bit, SeccompCmpOp::MaskedEq(bit))?);
    }
    rules.insert(libc::SYS_clone, asks_for_namespace);
    // Typing into the terminal of whoever started assay.
    rules.insert(libc::SYS_ioctl, vec![refuse(1, libc::TIOCSTI, SeccompCmpOp::Eq)?]);
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let errno = u32::try_from(libc::EPERM).unwrap_or(1);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), arch)
        .map_err(|error| error.to_string())?;
    let mut program = BpfProgram::try_from(filter).map_err(|error| error.to_string())?;
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

/// Whether the kernel knows filters.
pub(super) fn check() -> Result<(), String> {
    program()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Without /proc it cannot be told beforehand; a program's start would then fail.
    if status.is_empty() || status.contains("Seccomp:") {
        return Ok(());
    }
    Err("the kernel has no seccomp".to_owned())
}

/// Which version of Landlock the kernel has.
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
