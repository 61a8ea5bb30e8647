"""How the server is run: another database, short tokens, many devices at a time, a restart in between."""

import json
import sqlite3
import threading
import unittest

from forms import VISIT, new_id, observation, visit
from harness import ON_POSTGRESQL, SpineTest, Study, http, tributary, until
from sealed import SealedClient, seal


class Serving(unittest.TestCase):
    def study(self, **options):
        study = Study(**options)
        self.addCleanup(study.close)
        study.publish(VISIT)
        return study

    def test_another_database(self):
        study = self.study()
        url = f"sqlite:{study.root / 'elsewhere.sqlite'}"
        queue = study.root / "elsewhere-queue.sqlite"
        server = study.serve("--database", url, "--queue", queue)
        device = study.device(server)
        device.consent()
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertEqual(study.number("SELECT count(*) FROM record"), 0)
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission"), 0)
        self.assertEqual(tributary("queue", "status", study.dir, "--queue", queue, "--json").json["depth"], 0)
        missing = tributary("warehouse", "count", study.dir, "--path", "\\Tributary\\", "--database", "nowhere.sqlite", status=1)
        self.assertIn("storage-missing", missing.errors)
        self.assertEqual(server.stop(), 0)
        done = tributary("serve", study.dir, "--port", "0", "--database", "mysql://x/y", status=1)
        self.assertIn("storage-engine-unknown", done.errors)

    def test_a_token_ends_and_the_device_takes_a_new_one(self):
        study = self.study(change=lambda value: value["limits"].update(tokenSeconds=1))
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        client = SealedClient(server, study, device=device)
        until(lambda: http("GET", server.url + "/deliveries", client.headers).status == 401, "the token ends", 10)
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})

    @unittest.skipIf(ON_POSTGRESQL, "it changes a file")
    def test_what_is_amiss_is_told_and_what_comes_meanwhile_waits(self):
        study = self.study()
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()

        def reasons():
            answer = http("GET", server.monitor_url + "/readyz")
            self.assertEqual(answer.status, 503 if answer.json.get("reasons") else 200)
            self.assertEqual(http("GET", server.monitor_url + "/livez").status, 200)
            return [reason["code"] for reason in answer.json.get("reasons", [])]

        self.assertEqual(reasons(), [])
        # 1. Keys that are away: what comes waits for them.
        keys = study.dir / "keys"
        away = keys.rename(study.root / "keys-away")
        until(lambda: "keys-missing" in reasons(), "the missing keys are told")
        device.answer(VISIT, visit(cups=5))
        device.send()
        self.assertNotIn("quarantined", {row["status"] for row in device.deliveries().values()})
        self.assertEqual(study.queue_number("SELECT count(*) FROM submission WHERE status = 'quarantined'"), 0)
        away.rename(keys)
        until(lambda: reasons() == [], "all is well again")
        until(lambda: {row["status"] for row in device.deliveries().values()} == {"stored"}, "what waited is stored", 120)
        # 2. A clock that is behind what was received already: told, and nothing is held up or put in the wrong order.
        connection = sqlite3.connect(study.queue_database, timeout=20)
        with connection:
            connection.execute("UPDATE submission SET received_at = '2099-01-01T00:00:00.000Z' WHERE number = "
                               "(SELECT max(number) FROM submission)")
        connection.close()
        metrics = http("GET", server.monitor_url + "/metrics").body.decode()
        behind = next(line for line in metrics.splitlines() if line.startswith("tributary_clock_behind_seconds"))
        self.assertGreater(float(behind.split()[-1]), 86_400 * 365)
        device.answer(VISIT, visit(cups=6))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        times = [row[0] for row in study.queue_sql("SELECT received_at FROM submission ORDER BY number")]
        self.assertEqual(times, sorted(times))

    def test_a_port_that_is_taken(self):
        study = self.study()
        server = study.serve()
        done = tributary("serve", study.dir, "--port", server.port, status=1, timeout=30)
        self.assertEqual(done.out, b"")
        self.assertRegex(done.errors, r"[a-z]+-[a-z]+")

    def test_a_restart_keeps_everything(self):
        study = self.study()
        server = study.serve()
        staff = study.staff_token()
        device = study.device(server)
        device.consent()
        device.send()
        before = device.settled()
        self.assertEqual(server.stop(), 0)
        server2 = study.serve()
        path = device.store / "enrolment.json"
        path.write_text(path.read_text().replace(server.url, server2.url))
        self.assertEqual(device.deliveries(), before)
        answer = http("GET", f"{server2.url}/fhir/Contract/{device.contract}", {"Authorization": "Bearer " + staff})
        self.assertEqual(answer.status, 200)


class ManyDevices(SpineTest):
    def test_many_devices_at_a_time(self):
        devices = [self.member() for _ in range(4)]
        bodies = []
        for device in devices:
            client = SealedClient(self.server, self.study, device=device)
            sids = [new_id() for _ in range(15)]
            bodies.append((client, [(sid, seal(self.study, observation(device.participant, n), sid=sid, seq=n + 1))
                                    for n, sid in enumerate(sids)]))
        failures = []

        def run(client, sealed):
            for _ in range(2):
                for sid, body in sealed:
                    answer = client.post(body)
                    if answer.status != 200:
                        failures.append(answer)

        threads = [threading.Thread(target=run, args=pair) for pair in bodies for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.study.settled()
        for (client, sealed), device in zip(bodies, devices):
            deliveries = client.deliveries()
            self.assertEqual({deliveries[sid]["status"] for sid, _ in sealed}, {"stored"})
            self.assertEqual(self.study.number(
                "SELECT count(*) FROM record WHERE type = 'Observation' AND subject = ?", device.participant), 15)
        self.assertTrue(self.study.is_sound())


if __name__ == "__main__":
    unittest.main()
