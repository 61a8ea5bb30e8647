"""What the attacks share: sockets to loopback, a head of a request, and the outcome of an answer."""

import ipaddress
import resource
import socket
import time

MOST_SOCKETS = 4_000
# Seconds that rounds may take beyond the time asked for.
LATEST = 30


def check(host, count, source=None):
    """Refuses whatever is not this machine, and raises the limit on descriptors for what is wanted."""
    for address in (host, source or host):
        if not ipaddress.ip_address(address).is_loopback:
            raise ValueError(f"{address} is not a loopback address")
    if not 0 < count <= MOST_SOCKETS:
        raise ValueError(f"between 1 and {MOST_SOCKETS} sockets, not {count}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, max(soft, MOST_SOCKETS + 256))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connect(host, port, timeout=2.0, receive_buffer=None, source=None):
    """A connection, or None where it is refused. A small receive buffer has to be set before connecting."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = None
    try:
        made = socket.socket(family, socket.SOCK_STREAM)
        made.settimeout(timeout)
        if receive_buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source is not None:
            made.bind((source, 0))
        made.connect((host, port))
        return made
    except OSError:
        if made is not None:
            made.close()
        return None


def head(method, path, headers=None):
    """The bytes of a request's head, without its last empty line."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n").encode()


def has_ended(made):
    """Whether the server has closed a connection; what it has sent is thrown away."""
    made.setblocking(False)
    try:
        while True:
            if made.recv(1 << 16) == b"":
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def send_now(made, data):
    """Sends what the kernel takes at once: the number of bytes, or None where the connection is gone."""
    made.setblocking(False)
    try:
        return made.send(data)
    except BlockingIOError:
        return 0
    except OSError:
        return None


def keep(host, port, seconds, count, step, opening=b"", receive_buffer=None, source=None):
    """Keeps `count` connections: opens again what is closed, and calls `step(socket)` for each about once a second.
    `source` is the address to come from, another one of loopback: the server counts by address.

    `step` returns False where the connection has ended. Each round looks at all of them and opens what is missing;
    there are three at least, whatever the time: on a busy machine the first may take all of it.
    """
    check(host, count, source)
    end = time.monotonic() + seconds
    last = end + LATEST
    opened = refused = closed = most = rounds = 0
    sockets = []
    try:
        while time.monotonic() < (end if rounds >= 3 else last):
            begun = time.monotonic()
            rounds += 1
            alive = [made for made in sockets if step(made)]
            for made in set(sockets) - set(alive):
                closed += 1
                made.close()
            sockets = alive
            while len(sockets) < count and time.monotonic() < (end if opened >= count else last):
                made = connect(host, port, receive_buffer=receive_buffer, source=source)
                if made is None or (opening and send_now(made, opening) is None):
                    refused += 1
                    if made is not None:
                        made.close()
                    break
                opened += 1
                sockets.append(made)
            most = max(most, len(sockets))
            time.sleep(max(0.0, 1.0 - (time.monotonic() - begun)))
    finally:
        for made in sockets:
            made.close()
    return {"opened": opened, "closed by the server": closed, "refused": refused, "most at a time": most}
