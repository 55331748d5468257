"""Files that only their owner may read, that replace nothing, and whether a path lies on another machine."""

import errno
import os
from pathlib import Path
from typing import Final

_NETWORK_TYPES: Final = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone",
    "fuse.s3fs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb2", "smb3", "smbfs", "virtiofs",
})  # fmt: skip


def create_private_folder(folder: Path) -> None:
    """Make *folder*, and each folder above it that is missing, for its owner only."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)  # not `parents=True`: that gives the upper ones the usual rights


def create_private_file(path: Path) -> None:
    """Make *path* an empty file that only its owner may use, in folders likewise, unless they exist.

    An existing file is not opened: if SQLite has it open in this process, closing another handle drops its locks.
    """
    create_private_folder(path.parent)
    if path.exists():
        return
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return  # another process was faster


def take_free_place(unfinished: Path, place: Path) -> None:
    """Move a file or folder to *place* in the same folder, and never onto something that is there.

    Raises:
        FileExistsError: something is there.
    """
    if not unfinished.is_dir():
        try:
            os.link(unfinished, place)  # unlike a rename, it never takes the place of another file
        except FileExistsError:
            raise
        except OSError:
            pass  # not every disk has links, as a stick has none
        else:
            unfinished.unlink()
            return
    if os.path.lexists(place):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
    unfinished.rename(place)


def is_network_path(path: Path, *, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Tell whether *path* lies on a file system of another machine; False where the system does not say."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return False
    where = os.path.realpath(path)
    best, network = "", False
    for line in lines:
        left, _, right = line.partition(" - ")
        mount = left.split()[4].replace("\\040", " ")
        inside = where == mount or where.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, network = mount, right.split()[0] in _NETWORK_TYPES
    return network
