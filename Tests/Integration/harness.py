"""Drives the built `tributary` binary from outside: studies, servers, devices, HTTP and SQL.

Environment:
  TRIBUTARY_BIN          the binary (default .build/release/tributary, else .build/debug/tributary)
  TRIBUTARY_CONFORMANCE  published test data (tests that need it are skipped without)
  TRIBUTARY_KILL_ROUNDS  rounds of the kill tests (default 5)
  TRIBUTARY_TEST_ENGINE  postgresql: studies have their stores on a server (default sqlite)
  TRIBUTARY_SEED         seed of the random tests (default: a new one, which is printed)
"""

import functools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import postgresql
from stored_contents import plain

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples"
ANTISPAM = "antispam-word-7f3c1e"
DEADLINE = float(os.environ.get("TRIBUTARY_DEADLINE", "600"))


def _binary():
    given = os.environ.get("TRIBUTARY_BIN")
    if given:
        return Path(given).resolve()
    for kind in ("release", "debug"):
        path = ROOT / ".build" / kind / "tributary"
        if path.exists():
            return path
    return ROOT / ".build" / "release" / "tributary"


BIN = _binary()
# Whether studies have both stores on PostgreSQL, each study a database of its own.
ON_POSTGRESQL = os.environ.get("TRIBUTARY_TEST_ENGINE", "sqlite") == "postgresql"
# The facts with the records that they are of.
OWN_FACTS = ("observation_fact f JOIN warehouse_loaded l ON l.encounter_num = f.encounter_num AND (l.instances = 0 OR "
             "f.instance_num >= l.instance_num AND f.instance_num < l.instance_num + l.instances)")
CONFORMANCE = Path(os.environ["TRIBUTARY_CONFORMANCE"]).resolve() if os.environ.get("TRIBUTARY_CONFORMANCE") else None


def needs_conformance(*parts):
    """Skips a test, by its name, where the published data are not there."""
    there = CONFORMANCE is not None and CONFORMANCE.joinpath(*parts).exists()
    return unittest.skipUnless(there, "TRIBUTARY_CONFORMANCE is not set or has no " + "/".join(parts))


def unpack(archive, members, folder):
    """Extracts members of an open tar into a folder; Python before 3.11.4 has no extraction filters to name."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, members=members, filter="data")
    else:
        archive.extractall(folder, members=members)


@functools.cache
def _folder_of_exports():
    """A folder that is removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="tributary-export-")
    subprocess.run([sys.executable, "-B", ROOT / "Scripts" / "generate-apple-health-export.py",
                    "--output", Path(folder.name) / "export.zip",
                    "--records", os.environ.get("TRIBUTARY_HEALTH_RECORDS", "4000")], check=True, stdout=subprocess.DEVNULL)
    return folder


def health_export():
    """An export of Apple Health with each kind of element. `TRIBUTARY_HEALTH_RECORDS` is the minimum number of its records (4000);
    the export of the examples has 20,000."""
    return Path(_folder_of_exports().name) / "export.zip"


@functools.cache
def small_examples():
    """The examples with that export: a folder for the demonstration."""
    folder = Path(_folder_of_exports().name) / "examples"
    (folder / "apple-health").mkdir(parents=True)
    (folder / "apple-health" / "export.zip").symlink_to(health_export())
    (folder / "study").symlink_to(EXAMPLES / "study")
    return folder


def seeded():
    """A random generator whose seed is printed."""
    seed = int(os.environ.get("TRIBUTARY_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"\n  seed {seed}", file=sys.stderr)
    return random.Random(seed)


class Finished:
    """What a command did."""

    def __init__(self, arguments, process):
        self.arguments = [str(argument) for argument in arguments]
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    @property
    def text(self):
        return self.out.decode()

    @property
    def errors(self):
        return self.err.decode(errors="replace")

    @property
    def json(self):
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"{self}: standard output is not one JSON value: {self.out[:300]!r}") from error

    def __str__(self):
        return f"tributary {' '.join(self.arguments)} -> {self.status}\n{self.errors[-2000:]}"


def tributary(*arguments, status=0, stdin=None, timeout=300, cwd=None):
    """Runs a command to its end and checks its exit status (None: any)."""
    process = subprocess.run(
        [str(BIN), *map(str, arguments)], input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=cwd, check=False)
    finished = Finished(arguments, process)
    if status is not None and finished.status != status:
        raise AssertionError(f"exit status {finished.status}, not {status}: {finished}\n{finished.out[:1000]!r}")
    return finished


def until(condition, what, seconds=None):
    """Asks again and again until it is true, and returns what it was. Only a hang reaches the end."""
    seconds = max(seconds or 0, DEADLINE)
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {seconds:.0f} s: {what}")
        time.sleep(0.05)


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The stable code of an error in whichever form it came."""
        try:
            value = self.json
        except ValueError:
            return None
        if value.get("resourceType") == "OperationOutcome":
            return value["issue"][0].get("details", {}).get("text")
        return value.get("code") or value.get("error")

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


def http(method, url, headers=None, body=None, timeout=60):
    """One request; any status is an answer. A broken connection raises OSError."""
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
    if isinstance(body, str):
        body = body.encode()
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    if body is not None and not request.has_header("Content-type"):
        request.add_header("Content-Type", "application/json")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as answer:
            return Response(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as answer:
        with answer:
            return Response(answer.code, answer.headers, answer.read())


class Server:
    """A running `tributary serve`."""

    def __init__(self, study, *options, log=None, limit=None):
        """`limit` is the most descriptors that the process may have, soft and hard."""
        self.study, self.limit = study, limit
        self.log_path = Path(log) if log else study.root / f"server-{len(study.servers)}.log"
        study.servers.append(self)
        self._log = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            self.command(study, options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log,
            preexec_fn=self.preparation())
        self.url = self._listening()

    def command(self, study, options):
        return [str(BIN), "serve", str(study.dir), "--port", "0", *map(str, options)]

    def preparation(self):
        """What the process does before it becomes the program."""
        limit = self.limit
        return limit and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))

    def _listening(self):
        found = []
        self.monitor_url = None

        def read():
            for line in self.process.stdout:
                text = line.decode().strip()
                if text.startswith("monitoring on "):
                    self.monitor_url = text.removeprefix("monitoring on ")
                if not found and text.startswith("listening on "):
                    found.append(text.removeprefix("listening on "))

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        end = time.monotonic() + DEADLINE
        while not found:
            if self.process.poll() is not None:
                raise AssertionError(f"serve ended with {self.process.returncode}: {self.log[-3000:]}")
            if time.monotonic() > end:
                self.kill()
                raise AssertionError("serve did not print `listening on` in time")
            time.sleep(0.01)
        return found[0]

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def kill(self):
        """Ends it at once (SIGKILL)."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._close()

    def stop(self, seconds=30):
        """SIGTERM; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self._close()

    def _close(self):
        self._reader.join(5)
        if not self._reader.is_alive():
            self.process.stdout.close()
        self._log.close()

    def request(self, method, path, headers=None, body=None):
        return http(method, self.url + path, headers, body)


def read_sql(path, statement, *parameters, schema=None):
    """Rows of a database that somebody may be writing: a file, or a schema of a database on a server."""
    if schema:
        return postgresql.read_sql(path, schema, statement, *parameters)
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
    try:
        connection.create_function("plain", 1, plain, deterministic=True)
        return [tuple(map(plain, row)) for row in connection.execute(statement, parameters)]
    finally:
        connection.close()


class Study:
    """A development study in a folder of its own, with the examples' consent document and forms.

    Unless it is signed it takes what tests seal by hand, beside its devices too, which then sign nothing: as phones did
    before the study named itself in its keys. Its stores are in files, or with a `url` in that database; with a `queue_url`
    the queue is there, and with one that is empty in a file, wherever the records are."""

    _queue_url = None

    def __init__(self, name="study", change=None, forms=True, signed=False, url=None, queue_url=None):
        self.signed = signed
        self.root = Path(tempfile.mkdtemp(prefix="tributary-"))
        self.dir = self.root / name
        self.servers = []
        self.devices = 0
        self.url = (postgresql.server().database() if ON_POSTGRESQL else None) if url is None else url
        self._queue_url = queue_url
        places = [*(["--queue", self.queue_url] if self.queue_url else []), *(["--database", self.url] if self.url else [])]
        # Where the records' tables are looked for on a server.
        self.schema = "tributary_records"
        tributary("init", self.dir, "--antispam", ANTISPAM, "--development", "--c3pro", *places)
        if not signed:
            self.change(lambda study: study.update(unsigned=True))
        # A test finds its participants in i2b2's tables by their ids.
        self.change(lambda study: study.pop("deidentification"))
        if forms:
            for folder in ("consent", "questionnaires"):
                for file in sorted((EXAMPLES / "study" / folder).glob("*.json")):
                    shutil.copy(file, self.dir / folder)
        if change:
            self.change(change)

    def change(self, change):
        path = self.dir / "study.json"
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    def findings(self, status=None):
        """What `study check` finds."""
        return tributary("study", "check", self.dir, "--json", status=status).json

    def finding(self, code):
        """The one finding of a code."""
        found = [finding for finding in self.findings() if finding["code"] == code]
        assert len(found) == 1, found
        return found[0]

    def publish(self, form, name=None):
        path = self.dir / "questionnaires" / f"{name or form['id']}.json"
        path.write_text(json.dumps(form))
        return path

    @property
    def database(self):
        """The records' store."""
        return self.url or self.dir / "data" / "records.sqlite"

    @property
    def queue_url(self):
        return self.url if self._queue_url is None else self._queue_url

    @property
    def queue_database(self):
        """The queue's store."""
        return self.queue_url or self.dir / "queue" / "queue.sqlite"

    def sql(self, statement, *parameters):
        """Rows of the records, read beside the running server."""
        return read_sql(self.database, statement, *parameters, schema=self.url and self.schema)

    def number(self, statement, *parameters):
        return self.sql(statement, *parameters)[0][0]

    def queue_sql(self, statement, *parameters):
        """Rows of the queue."""
        return read_sql(self.queue_database, statement, *parameters, schema=self.queue_url and "tributary_queue")

    def queue_number(self, statement, *parameters):
        return self.queue_sql(statement, *parameters)[0][0]

    def is_sound(self):
        """Whether the stores' files are whole; a server sees to its own."""
        files = [read for read, url in ((self.sql, self.url), (self.queue_sql, self.queue_url)) if not url]
        whole = (("PRAGMA integrity_check", [("ok",)]), ("PRAGMA foreign_key_check", []))
        # What search finds records by refers to them without the engine's seeing to it.
        lost = [f"SELECT e.number FROM record_{kind} e WHERE e.number NOT IN (SELECT number FROM record) "
                "OR e.term NOT IN (SELECT number FROM search_term)"
                for kind in ("term", "print", "text", "time", "number", "part")]
        return (all(read(statement) == expected for read in files for statement, expected in whole)
                and all(self.sql(statement) == [] for statement in lost))

    def serve(self, *options):
        return Server(self, *options)

    def receipt(self):
        return tributary("app-receipt", "make", self.dir).text.strip()

    def staff_token(self):
        return tributary("token", "create", self.dir, "--role", "staff").text.strip()

    def device(self, server, enrol=True):
        self.devices += 1
        device = Device(self, self.root / f"phone-{self.devices}")
        if enrol:
            device.enrol(server)
        return device

    def queue_status(self):
        return tributary("queue", "status", self.dir, "--json").json

    def settled(self, seconds=None):
        """Waits until nothing waits for the consumer."""
        until(lambda: self.queue_number("SELECT count(*) FROM submission WHERE status = 'received'") == 0,
              "the consumer handles all submissions", seconds)

    def close(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()
        if not os.environ.get("TRIBUTARY_KEEP"):
            shutil.rmtree(self.root, ignore_errors=True)


CONSENT_ANSWERS = EXAMPLES / "study" / "answers" / "consent-1.json"


def contract_file():
    files = sorted((EXAMPLES / "study" / "consent").glob("*.json"))
    if not files:
        raise AssertionError("Examples/study/consent holds no consent document")
    return files[0]


class Device:
    """A participant's phone: a store driven by `tributary device ...`."""

    def __init__(self, study, store):
        self.study, self.store = study, Path(store)
        self.participant = self.contract = None
        self._files = 0

    def run(self, command, *arguments, status=0, json=True):
        extra = ["--json"] if json else []
        return tributary("device", command, "--store", self.store, *arguments, *extra, status=status)

    def enrol(self, server, receipt=None, antispam=ANTISPAM, status=0):
        url = server if isinstance(server, str) else server.url
        path = self.study.root / f"receipt-{self.store.name}.b64"
        if receipt is not None or not path.exists():
            path.write_text((receipt if receipt is not None else self.study.receipt()) + "\n")
        self.receipt_path = path
        done = self.run("enrol", "--url", url, "--receipt", path, "--antispam", antispam, status=status)
        if not self.study.signed and status == 0:
            self.forget_study()
        return done

    def follow(self, former, url):
        """Tells the phone that the study's server, which was at one URL, is at another."""
        path = self.store / "enrolment.json"
        path.write_text(path.read_text().replace(former, url))

    def forget_study(self):
        """Makes this a phone whose study did not name itself in its keys: it signs nothing."""
        path = self.store / "enrolment.json"
        enrolment = json.loads(path.read_text())
        keys = json.loads(enrolment["jwks"])
        keys.pop("study", None)
        enrolment["jwks"] = json.dumps(keys)
        path.write_text(json.dumps(enrolment))

    def write(self, value, suffix=".json"):
        self._files += 1
        path = self.study.root / f"{self.store.name}-file-{self._files}{suffix}"
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    def consent(self, name="Pat Tester", answers=None, contract=None, signature=None, status=0):
        answers = CONSENT_ANSWERS if answers is None else answers
        path = answers if isinstance(answers, Path) else self.write(answers)
        more = ["--signature", signature] if signature else []
        done = self.run("consent", "--contract", contract or contract_file(), "--answers", path, "--name", name, *more,
                        status=status)
        if status == 0:
            self.participant = done.json["participant"]
            self.contract = done.json["contract"]
        return done

    def answer(self, form, answers, status=0):
        form = form if isinstance(form, Path) else self.write(form)
        answers = answers if isinstance(answers, Path) else self.write(answers)
        return self.run("answer", form, "--answers", answers, status=status)

    def health(self, export, status=0):
        return self.run("health", export, status=status)

    def withdraw(self, status=0):
        return self.run("withdraw", status=status)

    def send(self, status=0, attempts=None):
        more = ["--attempts", attempts] if attempts else []
        return self.run("send", *more, status=status)

    def deliveries(self):
        """Submission id -> the newest delivery."""
        return {row["submission"]: row for row in self.run("deliveries").json["deliveries"]}

    def settled(self, seconds=None):
        """Waits until no submission of this device is merely received."""
        found = {}

        def done():
            found.clear()
            found.update(self.deliveries())
            return all(row["status"] != "received" for row in found.values())

        until(done, "every submission is handled", seconds)
        return dict(found)

    @property
    def enrolment(self):
        return json.loads((self.store / "enrolment.json").read_text())

    def queued(self):
        return sorted(path for path in (self.store / "outbox").iterdir()
                      if not path.name.startswith(".") and path.name != "state.json")

    def bearer(self, server):
        """An access token of this device's client."""
        enrolment = self.enrolment
        return access_token(server, enrolment["clientID"], enrolment["clientSecret"])


def register(server, receipt, antispam=ANTISPAM, prefix=""):
    """As C3-PRO's apps register."""
    headers = {"Content-Type": "application/json; charset=utf-8", "Accept": "application/json"}
    if antispam is not None:
        headers["Antispam"] = antispam
    return server.request("POST", prefix + "/register", headers, {
        "client_name": "App", "grant_types": ["client_credentials", "refresh_token"],
        "token_endpoint_auth_method": "client_secret_basic", "sandbox": True, "receipt-data": receipt})


def token_request(server, client, secret, path="/oauth"):
    import base64
    pair = urllib.parse.quote_plus(client) + ":" + urllib.parse.quote_plus(secret)
    return server.request("POST", path, {
        "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
        "Content-Type": "application/x-www-form-urlencoded"}, b"grant_type=client_credentials")


def access_token(server, client, secret, path="/oauth"):
    answer = token_request(server, client, secret, path)
    assert answer.status == 200, answer
    return answer.json["access_token"]


class SpineTest(unittest.TestCase):
    """One study and one server for the tests of a class."""

    change = None
    options = ()
    signs = False

    @classmethod
    def setUpClass(cls):
        cls.study = cls.make_study()
        cls.addClassCleanup(cls.study.close)
        cls.prepare()
        cls.server = cls.study.serve(*cls.options)

    @classmethod
    def make_study(cls):
        """The study; its server is not there yet."""
        return Study(change=cls.change, signed=cls.signs)

    @classmethod
    def prepare(cls):
        """Whatever must stand in the folder before the server starts."""

    def member(self):
        """A device that consented, and whose consent is stored."""
        device = self.study.device(self.server)
        device.consent()
        device.send()
        statuses = {row["status"] for row in device.settled().values()}
        self.assertEqual(statuses, {"stored"})
        return device
