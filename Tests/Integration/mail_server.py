"""A mail server of other authors, aiosmtpd, on loopback.

    with MailServer(folder) as server:            # or MailServer(folder), and server.start() later
        ... {"smtp": f"127.0.0.1:{server.port}"} ...
        server.wait_for(1)                        # the messages, in the order of arrival

The port is free and fixed before the server starts, so that a test can begin while it is down. Run as a program, this
file is the server: it prints a line when it listens, writes each message that it accepts to a file, and ends with its
standard input.
"""

import argparse
import base64
import email
import email.policy
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REQUIREMENT = "aiosmtpd==1.4.6"


class Programs:
    """A Python with aiosmtpd: one that has it (Debian's python3-aiosmtpd), or a new one with it from PyPI."""

    def __init__(self):
        self.folder, self.python = None, None
        candidates = [found for found in dict.fromkeys([sys.executable, shutil.which("python3"), "/usr/bin/python3"]) if found]
        for python in candidates:
            done = subprocess.run([python, "-c", "import aiosmtpd.controller"], capture_output=True, check=False)
            if done.returncode == 0:
                self.python = python
                return
        self.folder = tempfile.mkdtemp(prefix="tributary-mail-")
        for python in candidates:
            made = subprocess.run([python, "-m", "venv", "--clear", self.folder], capture_output=True, check=False)
            own = Path(self.folder) / "bin" / "python"
            if made.returncode == 0 and subprocess.run([own, "-m", "pip", "install", "--quiet", REQUIREMENT],
                                                       capture_output=True, check=False, timeout=300).returncode == 0:
                self.python = str(own)
                return
        self.close()

    def close(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


class MailServer:
    """A server whose port is known before it starts. `tls` is a pair of PEM files: then STARTTLS is required. `user`
    and `password` are those that a client must sign in with. `reply` replaces the answer to each message."""

    def __init__(self, folder, python=None, port=None, tls=None, user=None, password=None, reply=None):
        self.port = port or free_port()
        self.file = Path(folder) / f"received-{self.port}.jsonl"
        self.python = python or sys.executable
        self.options = ["--port", str(self.port), "--file", str(self.file)]
        for name, value in (("--user", user), ("--password", password), ("--reply", reply)):
            self.options += [name, value] if value else []
        if tls:
            self.options += ["--certificate", str(tls[0]), "--key", str(tls[1])]
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Returns when the server listens."""
        self.process = subprocess.Popen([self.python, __file__, *self.options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line == b"ready\n", f"the mail server did not start: {line!r}"

    @property
    def pid(self):
        return self.process.pid

    def stop(self):
        if self.process:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    @property
    def messages(self):
        """The accepted messages: `from`, `to`, `bytes`, and `message`, which Python's own parser reads."""
        if not self.file.exists():
            return []
        found = [json.loads(line) for line in self.file.read_text().splitlines()]
        for entry in found:
            entry["bytes"] = base64.b64decode(entry["bytes"])
            entry["message"] = email.message_from_bytes(entry["bytes"], policy=email.policy.default)
        return found

    def wait_for(self, count, seconds=60):
        """Returns the messages when this number has arrived, or fails."""
        deadline = time.monotonic() + seconds
        while len(self.messages) < count:
            assert time.monotonic() < deadline, f"{len(self.messages)} of {count} messages after {seconds} s"
            time.sleep(0.05)
        return self.messages


def code(message):
    """Returns the code in a mail: the line `Code: C`."""
    lines = [line for line in message.get_content().splitlines() if line.startswith("Code: ")]
    assert len(lines) == 1, lines
    return lines[0].removeprefix("Code: ").strip()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def serve():
    """Runs the server until the end of the standard input."""
    from aiosmtpd.controller import Controller
    from aiosmtpd.smtp import AuthResult

    parser = argparse.ArgumentParser()
    for name in ("--port", "--file", "--certificate", "--key", "--user", "--password", "--reply"):
        parser.add_argument(name)
    given = parser.parse_args()

    class Receiver:
        async def handle_DATA(self, _server, _session, envelope):
            if given.reply:
                return given.reply
            entry = {"from": envelope.mail_from, "to": envelope.rcpt_tos,
                     "bytes": base64.b64encode(envelope.original_content).decode()}
            with open(given.file, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
            return "250 Accepted"

    def authenticate(_server, _session, _envelope, _mechanism, data):
        right = (data.login, data.password) == (given.user.encode(), given.password.encode())
        # Without `handled`, the server itself replies 535.
        return AuthResult(success=right, handled=right)

    options = {"enable_SMTPUTF8": True}
    if given.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(given.certificate, given.key)
        options |= {"tls_context": context, "require_starttls": True}
    if given.user:
        options |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": bool(given.certificate)}
    controller = Controller(Receiver(), hostname="127.0.0.1", port=int(given.port), **options)
    controller.start()
    print("ready", flush=True)
    sys.stdin.read()
    controller.stop()


if __name__ == "__main__":
    serve()
