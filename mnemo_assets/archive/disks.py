"""What kind of disk a folder is on, told without touching it: a share that hangs would hang us."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final, NamedTuple

#: File systems of this machine's own disks, whose changes the kernel reports whoever makes them. On any
#: other, such as nfs, cifs or fuse.sshfs, it is blind to what others write.
LOCAL: Final = frozenset(
    {
        "bcachefs",
        "btrfs",
        "exfat",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "fuseblk",
        "hfsplus",
        "jfs",
        "msdos",
        "ntfs",
        "ntfs3",
        "overlay",
        "overlayfs",
        "ramfs",
        "reiserfs",
        "tmpfs",
        "ubifs",
        "udf",
        "vfat",
        "xfs",
        "zfs",
    }
)
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


class Mount(NamedTuple):
    """What is mounted at, or above, a folder."""

    number: int  # another one after it was mounted anew
    kind: str  # of file system

    @property
    def is_local(self) -> bool:
        """Whether the kernel hears of every change."""
        return self.kind in LOCAL


def mounts() -> list[tuple[bytes, Mount]]:
    """The mount points of this process and what is there, in the order in which they were mounted."""
    if sys.platform != "linux":
        return []
    found = []
    with Path("/proc/self/mountinfo").open("rb") as lines:
        for line in lines:
            fields, _, rest = line.partition(b" - ")
            number, _, _, _, point = fields.split(b" ")[:5]
            unescaped = _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), point)
            found.append((unescaped, Mount(int(number), rest.split(b" ")[0].decode(errors="replace"))))
    return found


def mount_of(folder: Path, found: list[tuple[bytes, Mount]]) -> Mount | None:
    """The mount that holds a folder (absolute, links resolved): the last of the deepest; None if unknown."""
    path = os.fsencode(folder)
    holding = [
        (len(point), n, mount)
        for n, (point, mount) in enumerate(found)
        if path == point or path.startswith(point.rstrip(b"/") + b"/")
    ]
    return max(holding)[2] if holding else None
