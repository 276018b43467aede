//! Which calls to the kernel the program may not make.
//!
//! A refused call fails with `EPERM`, so that programs can go on without it; those that have an
//! older form to fall back on fail with `ENOSYS`, as on a kernel that lacks them, because their
//! arguments cannot be seen from here.

use std::{collections::BTreeMap, os::unix::process::parent_id};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::request::Failure;

/// Never, whatever the arguments.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Keys of the session.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel itself, where its mistakes have been.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    libc::SYS_kexec_file_load,
];

/// As if the kernel did not know them: their arguments are behind a pointer, or what they make is
/// counted nowhere.
const UNKNOWN: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// `TIOCSTI` and `TIOCLINUX`: typing into a terminal.
const TERMINAL: &[u64] = &[0x5412, 0x541c];

/// Calls with a mode of files, and which argument that is.
const MODES: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];
/// Newer than the headers of some systems; the same number everywhere.
const SYS_FCHMODAT2: libc::c_long = 452;

/// Memory and messages that all processes of a user share; in the full sandbox a namespace keeps
/// them apart. The last takes signals where they cannot be told apart.
const SHARED: &[libc::c_long] = &[
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_pidfd_send_signal,
];

const SIGNALS: &[libc::c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Permissions, owners and attributes, which Landlock leaves to the owner of a file: without
/// read-only mounts a hook could be switched on.
const METADATA: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];
const SYS_SETXATTRAT: libc::c_long = 463;
const SYS_REMOVEXATTRAT: libc::c_long = 466;
const SYS_FILE_SETATTR: libc::c_long = 469;
/// The same through `FS_IOC_SETFLAGS`, its form of 32 bits, and `FS_IOC_FSSETXATTR`.
const FLAGS: &[u64] = &[0x4008_6602, 0x4004_6602, 0x401c_5820];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses these calls to this process and all that come from it.
pub fn apply(network: bool, narrow: bool) -> Result<(), Failure> {
    for program in programs(network, narrow).map_err(|cause| unsupported(&cause))? {
        seccompiler::apply_filter(&program).map_err(|cause| unsupported(&cause))?;
    }
    Ok(())
}

fn unsupported(cause: &dyn std::fmt::Display) -> Failure {
    Failure::Absent(format!("seccomp: {cause}"))
}

fn programs(network: bool, narrow: bool) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    const TARGET: TargetArch =
        if cfg!(target_arch = "aarch64") { TargetArch::aarch64 } else { TargetArch::x86_64 };
    let compile = |rules: Rules, error: libc::c_int| -> Result<BpfProgram, _> {
        let refuse = SeccompAction::Errno(error.unsigned_abs());
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, TARGET)?.try_into()
    };
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    let mut programs =
        vec![compile(refused(network, narrow)?, libc::EPERM)?, compile(unknown, libc::ENOSYS)?];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_other_numbering());
    }
    Ok(programs)
}

fn refused(network: bool, narrow: bool) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if narrow {
        // Without a namespace the process group is what everything is ended by, in one step that
        // no fork can slip through: nothing may leave it.
        rules.extend([libc::SYS_setsid, libc::SYS_setpgid].map(|call| (call, Vec::new())));
        rules.extend(METADATA.iter().map(|call| (*call, Vec::new())));
        rules.extend(SHARED.iter().map(|call| (*call, Vec::new())));
    }
    let mut when = |call: libc::c_long, conditions: Vec<SeccompCondition>| {
        SeccompRule::new(conditions).map(|rule| rules.entry(call).or_default().push(rule))
    };
    for flag in NAMESPACES.iter().map(|flag| u64::from(flag.unsigned_abs())) {
        when(libc::SYS_clone, vec![bits(0, flag, flag)?])?;
    }
    for request in TERMINAL {
        when(libc::SYS_ioctl, vec![equal(1, *request)?])?;
    }
    if narrow {
        // Older kernels have no rule that keeps signals inside: at least whoever ends the program
        // is safe from it, and no signal goes to everybody.
        let own = u64::from(std::process::id());
        let (keeper, group) = (u64::from(parent_id()), u64::from(u32::MAX) - own + 1);
        for call in SIGNALS {
            when(*call, vec![equal(0, keeper)?])?;
        }
        when(libc::SYS_kill, vec![bits(0, 1 << 31, 1 << 31)?, differs(0, group)?])?;
    }
    for request in FLAGS.iter().filter(|_| narrow) {
        when(libc::SYS_ioctl, vec![equal(1, *request)?])?;
    }
    // A file that runs with its owner's rights would outlast the sandbox.
    for (call, argument) in MODES.iter().filter(|(call, _)| !(narrow && METADATA.contains(call))) {
        for mode in [libc::S_ISUID, libc::S_ISGID] {
            when(*call, vec![bits(*argument, mode.into(), mode.into())?])?;
        }
    }
    let created = u64::from(libc::O_CREAT.unsigned_abs());
    for mode in [libc::S_ISUID, libc::S_ISGID].map(u64::from) {
        when(libc::SYS_openat, vec![bits(2, created, created)?, bits(3, mode, mode)?])?;
        #[cfg(target_arch = "x86_64")]
        when(libc::SYS_open, vec![bits(1, created, created)?, bits(2, mode, mode)?])?;
    }
    // Pairs of sockets are pipes, but those of datagrams can be connected to others later.
    const TYPES: u64 = 0xf;
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| u64::from(kind.unsigned_abs())) {
        when(libc::SYS_socketpair, vec![bits(1, TYPES, kind)?])?;
    }
    if network {
        let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
        let others = families.map(|family| differs(0, u64::from(family.unsigned_abs())));
        when(libc::SYS_socket, others.into_iter().collect::<Result<_, _>>()?)?;
        let netlink = equal(0, u64::from(libc::AF_NETLINK.unsigned_abs()))?;
        let routes = u64::from(libc::NETLINK_ROUTE.unsigned_abs());
        when(libc::SYS_socket, vec![netlink, differs(2, routes)?])?;
    } else {
        let calls = [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];
        rules.extend(calls.map(|call| (call, Vec::new())));
    }
    Ok(rules)
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn bits(argument: u8, mask: u64, value: u64) -> Condition {
    let same = SeccompCmpOp::MaskedEq(mask);
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, same, value)
}

fn equal(argument: u8, value: u64) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn differs(argument: u8, value: u64) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// Refuses the calls of x32, the same ones under other numbers.
fn no_other_numbering() -> BpfProgram {
    const X32: u32 = 0x4000_0000;
    let code = |code: u32| u16::try_from(code).unwrap_or_default();
    let load = code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS);
    let at_least = code(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K);
    let give = code(libc::BPF_RET | libc::BPF_K);
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    vec![
        sock_filter { code: load, jt: 0, jf: 0, k: 0 },
        sock_filter { code: at_least, jt: 0, jf: 1, k: X32 },
        sock_filter { code: give, jt: 0, jf: 0, k: refuse },
        sock_filter { code: give, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
    ]
}
