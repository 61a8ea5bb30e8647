"""Networks of their own on one machine: network namespaces of Linux, joined by a wire (veth)."""

import contextlib
import ctypes
import ipaddress
import os
import shutil
import socket
import struct
import subprocess
import unittest
from pathlib import Path

CLONE_NEWNET = 0x40000000
LISTENING, ESTABLISHED = 0x0A, 0x01
_system = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    if getattr(_system, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _own():
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def needs_namespaces(test):
    """Skips a test, by its name, where networks cannot be made."""
    return unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip"), "networks of their own take root and iproute2")(test)


class Namespace:
    """A network in which nothing is but a loopback. It lives until it is closed and nobody is in it any more."""

    def __init__(self):
        """Raises OSError where this system forbids it."""
        before = _own()
        try:
            _call("unshare", CLONE_NEWNET)
            try:
                self.descriptor = _own()
                ip("link", "set", "lo", "up")
            finally:
                _call("setns", before, CLONE_NEWNET)
        finally:
            os.close(before)

    @contextlib.contextmanager
    def entered(self):
        """This thread, and what it starts, is in it."""
        before = _own()
        try:
            _call("setns", self.descriptor, CLONE_NEWNET)
            try:
                yield
            finally:
                _call("setns", before, CLONE_NEWNET)
        finally:
            os.close(before)

    def join(self, other, mine, theirs, name="wire"):
        """Lays a wire to another network; both ends get their address."""
        with self.entered():
            ip("link", "add", name, "type", "veth", "peer", "name", name, "netns", f"/proc/{os.getpid()}/fd/{other.descriptor}")
        for namespace, address in ((self, mine), (other, theirs)):
            with namespace.entered():
                ip("address", "add", f"{address}/30", "dev", name)
                ip("link", "set", name, "up")

    def sockets(self, state):
        """The TCP sockets in it: (address and port here, address and port there)."""
        with self.entered():
            found = []
            for family in ("tcp", "tcp6"):
                lines = Path(f"/proc/thread-self/net/{family}").read_text().splitlines()[1:]
                for words in map(str.split, lines):
                    if int(words[3], 16) == state:
                        found.append((_end(words[1]), _end(words[2])))
            return found

    def answers(self, address, ports):
        """Those ports of an address to which a connection can be opened from here."""
        found = set()
        with self.entered():
            for port in ports:
                with socket.socket() as probe:
                    probe.settimeout(5)
                    try:
                        probe.connect((address, port))
                        found.add(port)
                    except ConnectionRefusedError:
                        pass
        return found

    def close(self):
        os.close(self.descriptor)


def _end(text):
    """An address as /proc/net/tcp has it: words of four bytes, each as this machine orders them."""
    digits, port = text.split(":")
    words = bytes.fromhex(digits)
    ordered = b"".join(struct.pack(">I", word) for word in struct.unpack(f"={len(words) // 4}I", words))
    return ipaddress.ip_address(ordered), int(port, 16)


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, check=False)
    if done.returncode:
        raise OSError(done.returncode, f"ip {' '.join(arguments)}: {done.stderr.decode().strip()}")
