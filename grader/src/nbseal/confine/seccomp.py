"""The system calls that a session may make.

Only calls that have been reviewed are let through: a call that a newer kernel brings answers "no
such call", as an older kernel would, until somebody raises _NEWEST_REVIEWED, and so do the UNKNOWN.
Of the reviewed ones the DENIED are refused with EPERM.
"""

import errno
import tempfile
from functools import cache

from nbseal.confine import kernel

# The newest call reviewed (file_setattr, Linux 6.17); from 424 on the numbers are the same on every
# processor.
_NEWEST_REVIEWED = 469

DENIED = (
    # mounts, and other roads around the read-only root
    "mount umount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen fsconfig "
    "fsmount fspick "
    "mount_setattr statmount listmount open_by_handle_at name_to_handle_at swapon swapoff "
    "quotactl quotactl_fd "
    # other namespaces
    "unshare setns "
    # owners and hidden attributes of files; nothing honest in a session needs them
    "chown fchown lchown fchownat chown32 fchown32 lchown32 setxattr lsetxattr fsetxattr "
    "setxattrat removexattr "
    "lremovexattr fremovexattr removexattrat file_setattr mknod mknodat "
    # other processes: their memory, their descriptors, their priority
    "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_getfd "
    "setpriority ioprio_set "
    "sched_setscheduler sched_setparam sched_setattr move_pages migrate_pages "
    # memory that no limit counts: shared segments, message queues, files without a file system
    "memfd_create memfd_secret shmget shmat shmctl msgget msgsnd msgctl semget semctl mq_open "
    # the kernel's larger doors
    "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl "
    "add_key request_key "
    "fanotify_init fanotify_mark lookup_dcookie nfsservctl vhangup acct syslog uselib modify_ldt "
    "iopl ioperm vm86 vm86old "
    # the machine itself
    "init_module finit_module delete_module create_module kexec_load kexec_file_load reboot "
    "sethostname setdomainname "
    "settimeofday stime clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex "
    "_sysctl"
).split()

# Which pages of a file are in memory is seen by every session that may read the file, and outlives
# the session that brought them there. These ask for it, or throw pages out again; libraries expect
# that a kernel may not have them, so they are answered as by one that has not. What is left of that
# road is told in docs/security.md.
UNKNOWN = (
    "preadv2 pwritev2 mincore cachestat fadvise64 fadvise64_64 readahead sync_file_range "
    # counted for the whole machine, or for all processes of the grader's user: asynchronous reads,
    # and watches over files
    "io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents inotify_init inotify_init1 "
    # for all files of the machine at once
    "sync syncfs remap_file_pages"
).split()

# What may be advised about memory: normal, random, sequential, willneed, dontneed; free, dontfork,
# dofork; hugepage, nohugepage, dontdump, dodump, wipeonfork, keeponfork; guard pages, as new C
# libraries put below a thread's stack. Not what acts on a file's own pages (remove, cold, pageout,
# populate, collapse), nor what tells equal pages of two processes apart (mergeable).
_ADVICE = (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 102, 103)

# Where the root is read-only a session can change modes and times in its scratch alone, as honest
# programs do (shutil.copy). Where it is not, Landlock does not cover these, so they are refused
# altogether.
MODES_AND_TIMES = [
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "utime",
    "utimes",
    "utimensat",
    "utimensat_time64",
    "futimesat",
]

_AF_UNIX, _ASK_PERSONALITY, _LOW_32_BITS = 1, 0xFFFFFFFF, 0xFFFFFFFF
_F_SETLEASE = 1024
_RLIMITS = range(1, 16)  # all that there are but 0, the processor's time
# of the commands above it: F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_GET_SEALS
_FCNTL = (1030, 1031, 1032, 1034)
_NUMBERS_END = 512  # above it x86 keeps numbers of its 32-bit kind


@cache
def filter_program(read_only_root: bool) -> bytes:
    """The filter as instructions for the kernel. Raises OSError or RuntimeError where libseccomp
    cannot make it."""
    import pyseccomp as seccomp

    denied = set(DENIED) | (set() if read_only_root else set(MODES_AND_TIMES))
    conditions = _conditions(seccomp)
    program = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    # calls of a 32-bit program would pass unseen
    program.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    # a binary tree instead of a chain of comparisons
    program.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)
    for number in range(_NUMBERS_END):
        name = _name(seccomp, number) if number <= _NEWEST_REVIEWED else None
        # clone3 keeps its flags out of a filter's sight; libc uses clone where clone3 does not
        # exist.
        if name is None or name == "clone3" or name in UNKNOWN:
            program.add_rule(seccomp.ERRNO(errno.ENOSYS), number)
        elif name not in denied:
            for arguments in conditions.get(name, [()]):
                program.add_rule(seccomp.ALLOW, number, *arguments)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _name(seccomp, number: int) -> str | None:
    try:
        return seccomp.resolve_syscall(seccomp.Arch.NATIVE, number).decode()
    except ValueError:  # not a call on this processor
        return None


def _conditions(seccomp) -> dict:
    """name -> what must hold of the arguments for the call to be allowed: any one of these."""

    def low_bits(argument, mask, value):
        return [[seccomp.Arg(argument, seccomp.MASKED_EQ, mask, value)]]

    (caller,) = low_bits(0, _LOW_32_BITS, 0)
    return {
        # Process 0 is the caller itself. Its limit of processor time it may only read: the kernel
        # kills at that limit, and a session that lowers it would seem to be killed from outside.
        "prlimit64": [
            [*caller, seccomp.Arg(2, seccomp.EQ, 0)],
            *([*caller, *low_bits(1, _LOW_32_BITS, kind)[0]] for kind in _RLIMITS),
        ],
        "setrlimit": [low_bits(0, _LOW_32_BITS, kind)[0] for kind in _RLIMITS],
        "sched_setaffinity": low_bits(0, _LOW_32_BITS, 0),
        "personality": low_bits(0, _LOW_32_BITS, _ASK_PERSONALITY),
        "socket": low_bits(0, _LOW_32_BITS, _AF_UNIX),
        "socketpair": low_bits(0, _LOW_32_BITS, _AF_UNIX),
        # the lowest byte is the signal a child ends with
        "clone": low_bits(0, kernel.CLONE_NEW_ANY & ~0xFF, 0),
        "madvise": [[seccomp.Arg(2, seccomp.EQ, advice)] for advice in _ADVICE],
        # Everything but leases (1024): whoever opens a file that another holds a lease on waits for
        # 45 seconds.
        "fcntl": [
            [seccomp.Arg(1, seccomp.LT, _F_SETLEASE)],
            *([seccomp.Arg(1, seccomp.EQ, command)] for command in _FCNTL),
        ],
    }
