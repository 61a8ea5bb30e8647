"""A PostgreSQL server in trouble: it is said by a code, nothing is half-written, phones keep what is not taken, and all goes on
when the cause is gone."""

import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import postgresql
from forms import VISIT, visit
from harness import BIN, ON_POSTGRESQL, Study, http, tributary, until
from test_full_disk import ROOT_ALONE, fill, mount

CUPS = 20_000_000  # more than any reading
# More than the room that is left in a page, and nothing that could be compressed.
LONG = os.urandom(5000).hex()
RULES = ["host all guarded 127.0.0.1/32 scram-sha-256"]


@unittest.skipIf(ON_POSTGRESQL, "its stores are on a server of its own")
class Trouble(unittest.TestCase):
    """One study for all tests, its queue and its records two databases of a role that owns them."""

    @classmethod
    def setUpClass(cls):
        cls.database = postgresql.PostgreSQL(rules=RULES)
        cls.addClassCleanup(cls.database.close)
        cls.database.sql("CREATE ROLE study LOGIN")
        cls.urls = {store: cls.database.database(store) for store in ("queue", "records")}
        for store in cls.urls:
            cls.database.sql(f"ALTER DATABASE {store} OWNER TO study")
        queue, records = (cls.urls[store].replace("tributary@", "study@") for store in ("queue", "records"))
        cls.study = Study(url=records, queue_url=queue)
        cls.addClassCleanup(cls.study.close)
        cls.study.publish(VISIT)
        cls.receiver = cls.study.serve("--roles", "receiver")
        cls.consumer = cls.study.serve("--roles", "consumer,records")
        cls.device = cls.study.device(cls.receiver)
        cls.device.consent()
        cls.device.send()
        assert {row["status"] for row in cls.device.settled().values()} == {"stored"}
        cls.cups = 0

    def setUp(self):
        self.marks = {server: len(server.log) for server in (self.receiver, self.consumer)}

    def tearDown(self):
        """After each: what waited and the next good one are stored, once, and the facts are what the records say."""
        self.answer()
        self.device.send()
        self.assertEqual(self.device.queued(), [])
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.assertEqual(self.stored(), [(CUPS + number, 1) for number in range(1, self.cups + 1)])
        self.assertEqual(
            self.study.number("SELECT count(*) FROM record_history WHERE type = 'QuestionnaireResponse'"), self.cups)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])

    def stored(self):
        return self.study.sql("SELECT CAST(nval_num AS bigint), count(*) AS facts FROM observation_fact WHERE nval_num > 20000000 "
                              "AND modifier_cd = '@' GROUP BY nval_num ORDER BY nval_num")

    def answer(self, **more):
        type(self).cups += 1
        self.device.answer(VISIT, visit(cups=CUPS + self.cups, **more))

    def sql(self, store, statement):
        """As the server's owner, in a store's schema."""
        return postgresql.run_sql(self.urls[store], f"SET search_path TO tributary_{store}; {statement}")

    def disconnect(self, store):
        self.database.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{store}'")

    def new_log(self, server):
        return server.log[self.marks.get(server, 0):]

    def reasons(self, server):
        answer = http("GET", server.monitor_url + "/readyz")
        return {reason["code"] for reason in answer.json.get("reasons", [])}

    def await_code(self, code, consumer=None):
        """Waits until the consumer says a code, and shows what else it said."""
        try:
            until(lambda: f"code={code}" in self.new_log(consumer or self.consumer), f"the consumer says {code}", 20)
        except AssertionError as error:
            raise AssertionError(self.new_log(consumer or self.consumer)) from error

    def assert_records_wait(self, code, consumer=None, **more):
        """Phones hand over as ever; the consumer says what is wrong, and nothing is half-written."""
        settled = self.sql("records", "SELECT count(*) FROM settlement")
        self.answer(**more)
        sent = self.device.send().json
        self.assertEqual((sent["sent"], sent["remaining"]), (1, 0))
        self.await_code(code, consumer)
        self.assertEqual(self.sql("records", "SELECT count(*) FROM settlement"), settled)
        self.assertEqual([row["status"] for row in self.device.deliveries().values()].count("received"), 1)

    def assert_phones_keep(self, code, **more):
        """What the queue cannot take stays with the phone, which is told nothing of the server's trouble."""
        before = self.sql("queue", "SELECT count(*) FROM submission")
        self.answer(**more)
        waiting = self.device.queued()
        done = self.device.send(attempts=1, status=1)
        self.assertEqual((done.json["sent"], done.json["refused"]), (0, 0))
        self.assertEqual(self.device.queued(), waiting)
        self.assertIn(f"cause={code}", self.new_log(self.receiver))
        self.assertEqual(self.sql("queue", "SELECT count(*) FROM submission"), before)

    # The server

    def test_a_server_that_is_down_at_the_start_and_in_the_middle(self):
        self.database.stop()
        try:
            self.assert_all_is_away()
        finally:
            self.database.start()
        until(lambda: not self.reasons(self.receiver) | self.reasons(self.consumer), "both are ready again")
        self.assertEqual(self.study.serve("--roles", "receiver").stop(20), 0)

    def start(self, *arguments, **environment):
        """A command that is not waited for."""
        return subprocess.Popen([str(BIN), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, env={**os.environ, **environment})

    def assert_is_refused(self, serving):
        printed, errors = serving.communicate(timeout=60)
        self.assertEqual((serving.returncode, printed), (1, b""), errors)
        self.assertIn(b"[storage-open]", errors)
        return errors

    def assert_all_is_away(self):
        # Each waits some seconds for the server; side by side that is once.
        serving = [self.start("serve", self.study.dir, "--port", "0", "--roles", roles)
                   for roles in ("receiver", "consumer,records")]
        self.answer()
        waiting = self.device.queued()
        sending = self.start("device", "send", "--store", self.device.store, "--attempts", "1")
        with ThreadPoolExecutor() as pool:
            for reasons in pool.map(self.reasons, (self.receiver, self.consumer)):
                self.assertIn("store-unwritable", reasons)
        for process in serving:
            self.assert_is_refused(process)
        self.assertEqual((sending.wait(60), sending.communicate()[1]), (1, b"Not all was accepted: server-unavailable.\n"))
        self.assertEqual(self.device.queued(), waiting)

    def test_a_server_that_is_started_anew_is_connected_to_again(self):
        self.database.stop()
        self.database.start()
        self.answer()
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})

    def test_a_wrong_password(self):
        self.database.sql("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right-7712'")
        passwords, wrong = self.study.root / "passwords", self.study.root / "wrong-passwords"
        os.environ["PGPASSFILE"] = str(passwords)
        self.addCleanup(os.environ.pop, "PGPASSFILE")
        address = self.urls["records"].replace("tributary@", "guarded@")

        def write(path, password):
            path.touch(0o600)
            path.write_text(f"127.0.0.1:*:*:guarded:{password}\n")

        write(wrong, "wrong-9981")
        refused = self.start("serve", self.study.dir, "--port", "0", "--roles", "consumer,records", "--database", address,
                             PGPASSFILE=str(wrong))
        # It is changed while a consumer works.
        write(passwords, "right-7712")
        self.assertEqual(self.consumer.stop(20), 0)
        guarded = self.study.serve("--roles", "consumer,records", "--database", address)
        self.database.sql("ALTER ROLE guarded PASSWORD 'other-3321'")
        self.disconnect("records")
        self.assert_records_wait("storage-open", guarded)
        errors = self.assert_is_refused(refused)
        self.assertIn(b"guarded", errors, "who could not log in is named")
        self.assertNotIn(b"wrong-9981", errors)
        write(passwords, "other-3321")
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        self.assertEqual(guarded.stop(20), 0)
        for password in ("right-7712", "other-3321"):
            self.assertNotIn(password, guarded.log)
        type(self).consumer = self.study.serve("--roles", "consumer,records")

    # Its rights and its room

    def test_a_role_that_may_not_write(self):
        for store, assertion in (("records", self.assert_records_wait), ("queue", self.assert_phones_keep)):
            with self.subTest(store):
                self.sql(store, f"REVOKE INSERT ON ALL TABLES IN SCHEMA tributary_{store} FROM study")
                try:
                    assertion("storage-read-only")
                finally:
                    self.sql(store, f"GRANT INSERT ON ALL TABLES IN SCHEMA tributary_{store} TO study")
                self.device.send()
                self.device.settled()

    def test_a_database_that_is_read_only_unless_said_is_written(self):
        for store in self.urls:
            self.database.sql(f"ALTER DATABASE {store} SET default_transaction_read_only = on")
            self.disconnect(store)
        self.answer()
        self.device.send()
        self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
        for store in self.urls:
            self.database.sql(f"ALTER DATABASE {store} RESET default_transaction_read_only")
            self.disconnect(store)

    @ROOT_ALONE
    def test_a_full_disk(self):
        folder = Path(self.database.folder) / "small"
        folder.mkdir()
        if not mount(folder, 24):
            self.skipTest("this system lets nobody mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", str(folder)], check=False)
        os.chown(folder, self.database.user.pw_uid, self.database.user.pw_gid)
        self.database.sql(f"CREATE TABLESPACE small LOCATION '{folder}'")
        for store, table in (("records", "record_version"), ("queue", "submission_body")):
            with self.subTest(store):
                self.sql(store, f"ALTER TABLE {table} SET TABLESPACE small")
                ballast = fill(folder)
                try:
                    if store == "records":
                        for _ in range(4):
                            self.answer(why=LONG)
                        self.assert_records_are_full()
                    else:
                        self.assert_phones_keep("storage-full", why=LONG)
                finally:
                    ballast.unlink()
                self.device.send()
                self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
                self.sql(store, f"ALTER TABLE {table} SET TABLESPACE pg_default")
        # A server that starts anew looks for what its journal names.
        self.database.sql("DROP TABLESPACE small")
        self.database.sql("CHECKPOINT")

    def assert_records_are_full(self):
        self.assertEqual(self.device.send().json["remaining"], 0)
        self.await_code("storage-full")
        self.assertIn("received", {row["status"] for row in self.device.deliveries().values()})

    # Its tables

    def test_a_table_that_is_missing(self):
        for store, table in (("records", "observation_fact"), ("records", "record_version"), ("queue", "submission_body")):
            with self.subTest(table):
                self.marks[self.consumer] = len(self.consumer.log)
                self.sql(store, f"ALTER TABLE {table} RENAME TO elsewhere")
                try:
                    if store == "records":
                        self.assert_records_wait("storage-tables")
                        done = tributary("warehouse", "verify", self.study.dir, status=1)
                        self.assertIn(f'relation "{table}" does not exist', done.errors)
                    else:
                        self.assert_phones_keep("storage-unavailable")
                finally:
                    self.sql(store, f"ALTER TABLE elsewhere RENAME TO {table}")
                self.device.send()
                self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})

    def test_a_column_of_another_type(self):
        instant = "TYPE timestamptz USING to_timestamp(updated_ms / 1000.0)"
        self.sql("records", f"ALTER TABLE record ALTER updated_ms {instant}")
        try:
            self.assert_records_wait("storage-tables")
        finally:
            self.sql("records", "ALTER TABLE record ALTER updated_ms "
                                "TYPE bigint USING (extract(epoch FROM updated_ms) * 1000)::bigint")
        self.device.settled()
        self.sql("queue", "ALTER TABLE submission ALTER sequence TYPE text")
        try:
            self.answer()
            self.device.send()
            self.await_code("storage-tables")
        finally:
            self.sql("queue", "ALTER TABLE submission ALTER sequence TYPE bigint USING sequence::bigint")

    def test_what_was_prepared_for_a_column_of_another_type(self):
        """Connections that are made while it is wrong know nothing else; they go on as soon as it is mended."""
        self.answer()
        self.sql("queue", "ALTER TABLE submission ALTER sequence TYPE text")
        try:
            self.disconnect("queue")
            # What hands it over and handles it does not mind, and is prepared.
            self.device.send()
            self.study.settled()
        finally:
            self.sql("queue", "ALTER TABLE submission ALTER sequence TYPE bigint USING sequence::bigint")

    def test_a_dictionary_of_contents_that_is_torn(self):
        """The program brings those that it writes with; what the store notes of them is for others."""
        token = self.study.staff_token()

        def shown():
            answer = self.consumer.request("GET", "/fhir/QuestionnaireResponse?_count=1000", {"Authorization": "Bearer " + token})
            self.assertEqual(answer.status, 200, answer)
            return answer.json["total"]

        self.sql("records", "CREATE TABLE kept AS SELECT * FROM content_dictionary; UPDATE content_dictionary "
                            "SET content = substring(content FROM 1 FOR 400) WHERE type = 'QuestionnaireResponse'")
        try:
            before = shown()
            self.answer()
            self.device.send()
            self.assertEqual({row["status"] for row in self.device.settled().values()}, {"stored"})
            self.assertEqual(self.consumer.stop(20), 0)
            type(self).consumer = self.study.serve("--roles", "consumer,records")
            self.assertEqual(shown(), before + 1)
        finally:
            self.sql("records", "UPDATE content_dictionary d SET content = k.content FROM kept k WHERE k.number = d.number; "
                                "DROP TABLE kept")

    def test_a_content_that_is_torn_is_told_and_hides_no_other(self):
        token = self.study.staff_token()
        self.answer()
        self.device.send()
        self.device.settled()
        number, name = self.study.sql("SELECT number, id FROM record WHERE type = 'QuestionnaireResponse' ORDER BY number DESC LIMIT 1")[0]
        other = self.study.sql("SELECT id FROM record WHERE type = 'Contract'")[0][0]
        self.sql("records", "CREATE TABLE kept AS SELECT number, content FROM record_history; UPDATE record_version "
                            f"SET content = substring(content FROM 1 FOR length(content) - 20) WHERE number = {number}")
        try:
            def read(path):
                return self.consumer.request("GET", "/fhir/" + path, {"Authorization": "Bearer " + token})

            torn = read("QuestionnaireResponse/" + name)
            self.assertEqual((torn.status, torn.code), (500, "records-unavailable"), torn)
            self.assertIn("cause=storage-corrupt", self.new_log(self.consumer))
            self.assertEqual(read("Contract/" + other).status, 200)
            done = tributary("warehouse", "verify", self.study.dir, status=1)
            self.assertIn("[storage-corrupt]", done.errors)
        finally:
            self.sql("records", "UPDATE record_version v SET content = k.content FROM kept k WHERE k.number = v.number; "
                                "DROP TABLE kept")


if __name__ == "__main__":
    unittest.main()
