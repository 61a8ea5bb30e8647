"""Large bodies in parallel."""

from .answers import ask


def large_bodies(host, port, seconds, count=100, path="/", headers=None, length=8 << 20, source=None):
    """`count` bodies of `length` bytes at a time, again and again."""
    return ask(host, port, seconds, count, "POST", path, headers, b"a" * length, most=10 * count, source=source)
