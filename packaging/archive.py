"""Archives whose bytes follow from their content alone: sorted, one time, owner 0.

Knows tar, gzip and zip, and nothing of what is packed.
"""

import gzip
import io
import tarfile
import time
import zipfile

import about


def tar(files, links=None, open_folders=()):
    """A tar of paths mapped to files, with the folders above them, and links mapped to targets.

    Open folders are empty, and everybody may write there.
    """
    links = links or {}
    folders = {"/".join(parts[:end]) for parts in (path.split("/") for path in [*files, *links])
               for end in range(1, len(parts))}
    folders.update(open_folders)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as made:
        for path in sorted({*folders, *files, *links}):
            entry = tarfile.TarInfo(path)
            entry.mtime = about.epoch()
            if path in folders:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if path in open_folders else 0o755
                made.addfile(entry)
            elif path in links:
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, links[path], 0o777
                made.addfile(entry)
            else:
                entry.size, entry.mode = len(files[path].data), files[path].mode
                made.addfile(entry, io.BytesIO(files[path].data))
    return out.getvalue()


def gz(data, level=about.LEVEL):
    return gzip.compress(data, compresslevel=level, mtime=0)


def zipped(files):
    """A zip of paths mapped to files, in their order."""
    out = io.BytesIO()
    when = time.gmtime(max(about.epoch(), 315532800))[:6]  # zip knows no time before 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=about.LEVEL) as made:
        for path, file in files.items():
            entry = zipfile.ZipInfo(path, when)
            entry.create_system = 3
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(entry, file.data)
    return out.getvalue()
