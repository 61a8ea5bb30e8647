"""What an attack costs a server and its other callers: seconds of the processor, memory, and how long a single read takes."""

import http.client
import os
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Cost:
    """What the process of a server has taken since this was made."""

    def __init__(self, process):
        self.process = process
        # The highest memory so far is forgotten, so that what follows is this attack's.
        try:
            with open(f"/proc/{process.pid}/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
        except OSError:
            pass
        self._began = self._ticks()
        self.megabytes_before = self._status("VmRSS")

    def _ticks(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def _status(self, name):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return int(fields[name].split()[0]) / 1024

    @property
    def seconds(self):
        """Seconds of the processor."""
        return (self._ticks() - self._began) / TICKS

    @property
    def most_megabytes(self):
        """The highest resident memory."""
        return self._status("VmHWM")


class Witness(threading.Thread):
    """Another caller, who reads one resource again and again from another address.

    Use it as a context: `delays` are the seconds of each read, `failures` what was not 200.
    """

    def __init__(self, port, path, headers, source="127.0.0.7", method="GET", body=None):
        super().__init__(daemon=True)
        self.port, self.path, self.headers, self.source = port, path, headers, source
        self.method, self.body = method, body
        self.delays, self.failures = [], []
        self._ended = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self.join(90)

    def run(self):
        while not self._ended.is_set():
            self.ask()
            self._ended.wait(0.02)

    def ask(self):
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(self.source, 0))
            connection.request(self.method, self.path, self.body, self.headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status not in (200, 201):
                self.failures.append(answer.status)
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(type(error).__name__)
        self.delays.append(time.monotonic() - begun)

    @property
    def longest(self):
        return max(self.delays, default=0)
