"""The contents of the records as they came: what is stored of them is compressed (Sources/Server/RecordStorage/Contents).

A test that looks for a word in a store's bytes must look here too, or it finds nothing whatever stands there."""

import base64
import ctypes
import ctypes.util
import re
from functools import lru_cache
from pathlib import Path

DICTIONARIES = Path(__file__).resolve().parents[2] / "Sources" / "Server" / "RecordStorage" / "Contents" / "Tables"
MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST = 256 << 20

zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
for name in ("ZSTD_decompress_usingDict", "ZSTD_findFrameCompressedSize"):
    getattr(zstd, name).restype = ctypes.c_size_t
context = ctypes.c_void_p(zstd.ZSTD_createDCtx())


@lru_cache
def dictionaries():
    """Those that go with the program, by their numbers."""
    found = {}
    for path in DICTIONARIES.glob("*.swift"):
        coded = re.search(r'Base64 = """\n(.*?)"""', path.read_text(), re.S)[1]
        made = base64.b64decode("".join(coded.split()))
        found[int.from_bytes(made[4:8], "little")] = made
    if not found:
        raise FileNotFoundError(DICTIONARIES)
    return found


def plain(stored):
    """The content that bytes were stored for; what is no frame is returned as it is, and None for a damaged one."""
    if not isinstance(stored, bytes) or not stored.startswith(MAGIC):
        return stored
    size = zstd.ZSTD_getFrameContentSize(stored, ctypes.c_size_t(len(stored)))
    if size > LARGEST:
        return None
    made = ctypes.create_string_buffer(max(size, 1))
    dictionary = dictionaries().get(zstd.ZSTD_getDictID_fromFrame(stored, ctypes.c_size_t(len(stored))), b"")
    count = zstd.ZSTD_decompress_usingDict(context, made, ctypes.c_size_t(size), stored, ctypes.c_size_t(len(stored)),
                                           dictionary, ctypes.c_size_t(len(dictionary)))
    return made.raw[:count] if count == size else None


def hidden(data):
    """The contents of all whole frames that stand somewhere in a file's bytes: in use, or left over from before."""
    for match in re.finditer(re.escape(MAGIC), data):
        rest = data[match.start():match.start() + (64 << 10)]
        length = zstd.ZSTD_findFrameCompressedSize(rest, ctypes.c_size_t(len(rest)))
        if length <= len(rest):
            yield plain(rest[:length]) or b""


def clear(data):
    """A file's bytes, with the contents of the frames in them."""
    return data + b"\n".join(hidden(data))


def dumped_contents(dump):
    """The contents of all frames in a dump of PostgreSQL, which writes bytes in hexadecimal."""
    for match in re.finditer(rb"\\\\x(" + MAGIC.hex().encode() + rb"[0-9a-f]+)", dump):
        yield plain(bytes.fromhex(match[1].decode())) or b""


def clear_text(dump):
    """A dump, with the contents of the frames in it."""
    return dump + b"\n".join(dumped_contents(dump))
