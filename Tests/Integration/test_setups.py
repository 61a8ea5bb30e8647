"""The set-ups of docs/guide-hospital-it.md, command by command, and a phone that sends to each."""

import json
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import postgresql
from forms import VISIT, visit
from harness import ANTISPAM, BIN, EXAMPLES, ROOT, Server, Study, tributary
from i2b2 import I2B2

GUIDE = ROOT / "docs" / "guide-hospital-it.md"


def commands(heading):
    """The commands of a section, a line each."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## )", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```sh\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    text = "".join(blocks).replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


class Started(Server):
    """A server that a command line started."""

    def __init__(self, study, words):
        self.words = words
        super().__init__(study)

    def command(self, study, options):
        return self.words


class Setups(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="tributary-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.servers = []

    def study(self):
        """The study that the commands make."""
        study = Study.__new__(Study)
        study.signed, study.root, study.dir, study.servers = True, self.root, self.root / "srv" / "study", self.servers
        study.devices, study.url, study.schema = 0, "", "tributary_records"
        return study

    def play(self, heading, change=lambda line: line):
        """Runs the commands of a section with this machine's places in them."""
        (self.root / "srv").mkdir(exist_ok=True)
        started = []
        for line in commands(heading):
            line = change(line.replace("/srv/", f"{self.root}/srv/"))
            if " serve " in line:
                line = re.sub(r"--port \d+", "--port 0", line).replace("0.0.0.0", "127.0.0.1")
                self.publish()
                server = Started(self.study(), [str(BIN), *line.split()[1:]])
                self.addCleanup(server.kill)
                started.append(server)
                continue
            if line.startswith("tributary init"):
                # A phone of a test has no receipt of the App Store.
                line += f" --development --antispam {ANTISPAM}"
            line = re.sub(r"^tributary ", f"{BIN} ", line)
            done = subprocess.run(["sh", "-c", line], cwd=self.root, capture_output=True, check=False, timeout=120)
            self.assertEqual(done.returncode, 0, f"{line}: {done.stderr.decode()}")
        return started

    def publish(self):
        """The study's own part, which no guide knows: forms and a consent document."""
        study = self.study()
        for folder in ("consent", "questionnaires"):
            for file in sorted((EXAMPLES / "study" / folder).glob("*.json")):
                shutil.copy(file, study.dir / folder)
        study.publish(VISIT)

    def send(self, receiver):
        device = self.study().device(receiver)
        device.consent()
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        status = tributary("study", "status", self.study().dir, "--json").json
        self.assertEqual(len(status["participants"]), 1)

    def test_one_box(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                        str(self.root / "key.pem"), "-out", str(self.root / "chain.pem")],
                       check=True, stderr=subprocess.DEVNULL)
        server, = self.play(
            "One box", lambda line: re.sub(r"(chain|key)\.pem", rf"{self.root}/\1.pem", line))
        self.assertTrue(server.url.startswith("https://"))
        # The phone's program trusts the system's authorities alone; what stands between them trusts this one.
        self.send(self.trusting(server.port, self.root / "chain.pem"))
        self.assertEqual(server.stop(20), 0)

    def trusting(self, port, certificate):
        """The URL of a relay that speaks TLS to a server in the phone's place."""
        context = ssl.create_default_context(cafile=str(certificate))
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def pump(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            finally:
                for end in (source, target):
                    end.close()

        def relay():
            while True:
                try:
                    plain, _ = listener.accept()
                    sealed = context.wrap_socket(
                        socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1")
                except OSError:
                    return
                for pair in ((plain, sealed), (sealed, plain)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

        threading.Thread(target=relay, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def place(self, server, line, host):
        return line.replace(f"@{host}/", f"@127.0.0.1:{server.port}/")

    def server(self):
        server = postgresql.PostgreSQL(user="postgres")
        self.addCleanup(server.close)
        return server

    def test_postgresql(self):
        database = self.server()
        server, = self.play("PostgreSQL", lambda line: self.place(database, line, "db.example.org"))
        self.send(server)
        self.assertFalse(list(self.root.rglob("*.sqlite")))
        self.assertEqual(server.stop(20), 0)
        # The same study in the i2b2 that the database turns out to have, in one elsewhere, and in one that cannot be reached.
        here, elsewhere, far = I2B2(database, name="study"), I2B2(database, role="tributary"), I2B2(database)
        places = [json.loads(found) for found in re.findall(r'^"warehouse": (\{.*\})$', GUIDE.read_text(), re.MULTILINE)]
        facts = "SELECT count(*) FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY'"
        study = self.study()
        study.change(lambda value: value.update(warehouse=places[0]))
        self.play("An i2b2 that is there", lambda line: line.replace('"$I2B2"', here.owner))
        count = here.number(facts)
        self.assertGreater(count, 0)
        tributary("warehouse", "undo", study.dir, "--all")
        self.assertEqual(here.number(facts), 0)
        study.change(lambda value: value.pop("warehouse"))
        tributary("warehouse", "init", study.dir)
        tributary("warehouse", "load", study.dir)
        places[1]["url"] = elsewhere.url
        study.change(lambda value: value.update(warehouse=places[1]))
        self.play("An i2b2 in another database", lambda line: line.replace('"$OTHER_I2B2"', elsewhere.owner).replace(
            "DATABASE i2b2", f"DATABASE {elsewhere.name}"))
        self.play("An i2b2 that cannot be reached", lambda line: line.replace('"$FAR_I2B2"', far.owner).replace(
            "/secure", f"{self.root}/secure"))
        self.assertEqual([elsewhere.number(facts), far.number(facts)], [count, count])

    def test_receiver_in_the_dmz(self):
        inside, outside = self.server(), self.server()
        consumer, receiver = self.play(
            "Receiver in the DMZ",
            lambda line: self.place(outside, self.place(inside, line, "db.example.org"), "queue.example.org"))
        self.send(receiver)
        # The public host has no key, and its database no word of what was sent.
        self.assertFalse((self.root / "srv" / "receiver" / "keys").exists())
        names = outside.sql("SELECT table_schema FROM information_schema.tables WHERE table_schema LIKE 'tributary%'", "queue")
        self.assertEqual(set(names.split()), {"tributary_queue"})
        for server in (consumer, receiver):
            self.assertEqual(server.stop(20), 0)


if __name__ == "__main__":
    unittest.main()
