"""The wall around system calls of another project's program: a seccomp filter of what it must not do.

Unlike the list for readers it says what is refused, since what such a program needs differs by version. It
runs threads and changes files where the wall around files lets it; it connects to nothing and sends nothing,
starts no process, touches no other one, makes nothing that outlives it, and changes no file's owner, mode or
times, which that wall does not guard. A call that a later kernel brings is outside of it.
"""

from __future__ import annotations

import errno

from mnemo_assets.text.bpf import (
    ABOVE,
    ANY_BIT,
    EQUAL,
    FAIL,
    PASS,
    RETURN,
    beginning,
    if_argument,
    step,
    when,
)

#: Name: its number on x86_64 and on aarch64 (asm/unistd_64.h, asm-generic/unistd.h); None where it does not
#: exist.
FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    # sockets; LibreOffice does not start without one that it listens on, in its scratch folder
    "connect": (42, 203), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # processes; threads are made with clone, and which flags it has decides
    "fork": (57, None), "vfork": (58, None), "setsid": (112, 157), "setpgid": (109, 154),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "setpriority": (141, 140), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274), "sched_setaffinity": (203, 122), "ioprio_set": (251, 30),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # other views of the system
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # the system itself
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "syslog": (103, 116),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142), "acct": (163, 89),
    "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    # memory and queues that others see, or that outlive it
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "msgget": (68, 186), "mq_open": (240, 180), "mq_unlink": (241, 181), "memfd_secret": (447, 447),
    # of files, what the wall around them does not guard
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "truncate": (76, 45),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
}  # fmt: skip
#: What the C library does in another way if the kernel seems not to have it: threads, memory without a file.
_UNKNOWN: dict[str, tuple[int | None, int | None]] = {"clone3": (435, 435), "memfd_create": (319, 279)}
_CLONE, _SOCKET, _SOCKETPAIR, _KILL, _TGKILL = (56, 220), (41, 198), (53, 199), (62, 129), (234, 131)
_PRLIMIT, _PRCTL = (302, 261), (157, 167)
#: Ways to ask what may be done with a file, and which argument is what is asked.
_ACCESS: tuple[tuple[tuple[int | None, int | None], int], ...] = (
    ((21, None), 1),
    ((269, 48), 2),
    ((439, 439), 2),
)
_W_OK = 2
_CLONE_THREAD, _AF_UNIX, _PR_SET_PDEATHSIG = 0x10000, 1, 1
#: The highest number that the list above was made from.
_KNOWN = 450


def program(process: int) -> bytes:
    """The filter for this machine.

    Args:
        process: the number of the process that is put behind it, which may send itself signals.

    Raises:
        OSError: ENOSYS, the system or the machine has no such wall.
    """
    column, steps = beginning()
    steps += [step(ABOVE, _KNOWN, 0, 1), step(RETURN, FAIL | errno.ENOSYS)]
    for numbers in _UNKNOWN.values():
        steps += when(numbers[column], [step(RETURN, FAIL | errno.ENOSYS)])
    for numbers in FORBIDDEN.values():
        steps += when(numbers[column], [step(RETURN, FAIL | errno.EPERM)])
    steps += when(_CLONE[column], if_argument(0, ANY_BIT, (_CLONE_THREAD,), passes=True))
    for one in (_SOCKET, _SOCKETPAIR):
        steps += when(one[column], if_argument(0, EQUAL, (_AF_UNIX,), passes=True))
    # that /tmp can be written is not to be told: the socket would be made there
    for asked, mode in _ACCESS:
        steps += when(asked[column], if_argument(mode, EQUAL, (_W_OK,), passes=False))
    for one in (_KILL, _TGKILL):
        steps += when(one[column], if_argument(0, EQUAL, (process,), passes=True))
    steps += when(_PRLIMIT[column], if_argument(0, EQUAL, (0, process), passes=True))
    steps += when(_PRCTL[column], if_argument(0, EQUAL, (_PR_SET_PDEATHSIG,), passes=False))
    return b"".join([*steps, step(RETURN, PASS)])
