"""A PostgreSQL server of the tests' own, on loopback, never as root; and SQL on it through psql."""

import atexit
import ctypes
import functools
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

from stored_contents import MAGIC, plain


def _programs():
    """Where the server's programs are; pg_config may be that of the library alone."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    path = shutil.which("initdb")
    if not path:
        raise AssertionError("PostgreSQL is not installed: Scripts/setup.sh --for test installs it")
    return Path(path).parent


class PostgreSQL:
    """A server that can be killed, stopped and started again over the same data."""

    def __init__(self, user="tributary", address=None, rules=()):
        """`user` is the role that may do anything. With an `address` it listens there too. `rules` are lines of pg_hba.conf
        that come before the one by which this machine is trusted."""
        self.role, self.address = user, address
        self.bin = _programs()
        self.folder = Path(tempfile.mkdtemp(prefix="tributary-postgresql-"))
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        done = subprocess.run(
            [self.bin / "initdb", "-D", self.folder / "data", "-U", user, "--auth=trust", "-E", "UTF8",
             "--locale=C.UTF-8"], preexec_fn=self._become, capture_output=True, check=False, cwd=self.folder)
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text("".join(rule + "\n" for rule in rules) + access.read_text())
        self.process = None
        self.port = None
        self.start()
        atexit.register(self.close)

    def _become(self):
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)
            os.environ["HOME"] = str(self.folder)
        # PR_SET_PDEATHSIG: it does not outlive a test that is killed.
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)

    def start(self):
        for _ in range(5):
            port = self.port or free_port()
            log = open(self.folder / "log", "ab")
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.folder / "data", "-p", str(port), "-k", self.folder,
                 "-c", "listen_addresses=" + ",".join(filter(None, ["127.0.0.1", self.address])), "-c", "max_connections=300"],
                preexec_fn=self._become, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
            log.close()
            end = time.monotonic() + 60
            while self.process.poll() is None and time.monotonic() < end:
                if subprocess.run([self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port), "-d", "postgres"],
                                  check=False).returncode == 0:
                    self.port = port
                    return
                time.sleep(0.05)
            self.kill()
        raise AssertionError((self.folder / "log").read_text()[-2000:])

    def kill(self):
        """Ends the server and all of its connections at once, as a crash of its machine would."""
        if self.process and self.process.poll() is None:
            children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, check=False)
            for process in [self.process.pid, *map(int, children.stdout.split())]:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()
        # A server over the same data begins when the last process of this one has gone.
        end = time.monotonic() + 10
        while time.monotonic() < end and self._is_held():
            time.sleep(0.05)

    def _is_held(self):
        """Whether a process still works in the data's folder."""
        for link in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(link).startswith(str(self.folder / "data")):
                    return True
            except OSError:
                continue
        return False

    def stop(self):
        """Ends it in order, with its connections."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self, name=None):
        """The URL of a new database."""
        name = name or f"study_{uuid.uuid4().hex[:12]}"
        self.sql(f'CREATE DATABASE "{name}"')
        return f"postgresql://{self.role}@127.0.0.1:{self.port}/{name}"

    def sql(self, statement, database="postgres"):
        return run_sql(f"postgresql://{self.role}@127.0.0.1:{self.port}/{database}", statement)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@functools.cache
def server():
    """The server of this process's tests."""
    return PostgreSQL()


def run_sql(url, statement):
    """Runs statements, and gives what psql prints."""
    done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement],
                          capture_output=True, check=False, timeout=120)
    if done.returncode:
        raise AssertionError(f"{statement}: {done.stderr.decode()}")
    return done.stdout.decode()


def read_sql(url, schema, statement, *parameters):
    """Rows of a query with `?` in the places of its parameters, as tuples of Python's values."""
    pieces = statement.split("?")
    assert len(pieces) == len(parameters) + 1, statement
    text = pieces[0] + "".join(literal(value) + piece for value, piece in zip(parameters, pieces[1:]))
    # An object of JSON keeps columns of one name apart, each in its place.
    printed = run_sql(url, f"SET search_path TO {schema}; SELECT row_to_json(q) FROM ({text}) q")
    return [tuple(_value(value) for _, value in json.loads(line, object_pairs_hook=list))
            for line in printed.splitlines()]


def _value(value):
    """A value; bytes are printed as hexadecimal digits, and those of a compressed content are read."""
    if isinstance(value, str) and re.fullmatch(r"\\x([0-9a-f]{2})*", value):
        found = bytes.fromhex(value[2:])
        return plain(found) if found.startswith(MAGIC) else found
    return value


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
