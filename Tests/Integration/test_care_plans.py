"""Care plans by the routes of the server: access, pages, waits, conflicts, bad input, restarts, restores and full disks."""

import concurrent.futures
import http.client
import json
import os
import shutil
import subprocess
import time
import unittest
import uuid

from accounts import PASSWORD, AccountStudy
import harness
from harness import ANTISPAM, tributary, until
from test_full_disk import ROOT_ALONE, fill, mount

ZONE = {"identifier": "Europe/Berlin"}
CALENDAR = {"identifier": "gregorian", "firstWeekday": 2, "minimumDaysInFirstWeek": 4, "current": 0,
            "locale": {"identifier": "de_DE"}, "timeZone": ZONE}
DAY = 86_400


def new_id():
    return str(uuid.uuid4()).upper()


def version(kind, id, previous=(), updated=0, deleted=False, **members):
    value = {"uuid": new_id(), "id": id, "previousVersionUUIDs": [one["object"]["uuid"] for one in previous],
             "nextVersionUUIDs": [], "effectiveDate": updated, "createdDate": 0, "updatedDate": updated, "timezone": ZONE}
    if deleted:
        value["deletedDate"] = updated
    return {"type": kind, "object": value | members}


def schedule(interval=None, start=0, **members):
    element = {"start": start, "duration": {"isAllDay": True}, "interval": {"day": 1} if interval is None else interval,
               "targetValues": [], "calendar": CALENDAR}
    return {"elements": [element | members]}


def task(id="stretch", previous=(), updated=0, kind="task", plan=None, **members):
    return version(kind, id, previous, updated, impactsAdherence=True, schedule=plan or schedule(), **members)


def outcome(of, index=0, id=None, previous=(), updated=0, **members):
    return version("outcome", id or new_id(), previous, updated, taskUUID=of["object"]["uuid"], taskOccurrenceIndex=index,
                   values=[], **members)


def vector(**clocks):
    return {"processes": [{"id": process, "clock": clock} for process, clock in clocks.items()]}


class Phone:
    """A process with a vector, which pushes versions by requests."""

    def __init__(self, test, token, patient):
        self.test, self.token, self.patient = test, token, patient
        self.process, self.clock, self.known = new_id(), 1, {}

    def vector(self):
        clocks = {**self.known, self.process: self.clock}
        return {"processes": [{"id": id, "clock": clock} for id, clock in clocks.items()]}

    def ask(self, method, path, body=None, status=200, code=None):
        answer = self.test.ask(method, f"patients/{self.patient}/{path}", self.token, body)
        self.test.assertEqual((answer.status, code or answer.code), (status, answer.code), answer)
        return answer

    def push(self, *entities, status=200, code=None):
        self.clock += 1
        body = {"revisions": [{"entities": list(entities), "knowledgeVector": self.vector()}], "knowledgeVector": self.vector()}
        return self.ask("POST", "revisions", body, status, code)

    def pull(self, since=None, status=200, code=None, **members):
        """The entities of all pages, and the vector."""
        entities, after = [], None
        while True:
            body = {"knowledgeVector": since or self.vector(), **members} | ({"after": after} if after else {})
            answer = self.ask("POST", "revisions/pull", body, status, code)
            if status != 200:
                return answer
            value = answer.json
            entities += [entity for revision in value["revisions"] for entity in revision["entities"]]
            after = value["next"]
            if not after:
                return entities, {row["id"]: row["clock"] for row in value["knowledgeVector"]["processes"]}

    def merge(self, known):
        for id, clock in known.items():
            if id != self.process:
                self.known[id] = max(clock, self.known.get(id, 0))


class CareTest(unittest.TestCase):
    def setUp(self):
        self.study = AccountStudy(groups=("main", "south"))
        self.addCleanup(self.study.close)
        self.server = self.study.serve()

    def ask(self, method, path, token=None, body=None, server=None, timeout=90):
        headers = {"Antispam": ANTISPAM} | ({"Authorization": f"Bearer {token}"} if token else {})
        return harness.http(method, f"{(server or self.server).url}/v1/{path}", headers, body, timeout=timeout)

    def sign_up(self, name, group="main"):
        answer = self.ask("POST", "accounts", body={"email": f"{name}@example.org", "password": PASSWORD, "group": group})
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def sign_in(self, name):
        return self.ask("POST", "sessions", body={"email": f"{name}@example.org", "password": PASSWORD}).json

    def member(self, name, role, group="main", *options):
        account = self.sign_up(name, group)
        code = self.study.code(f"{name}@example.org")
        self.assertEqual(self.ask("POST", "me/verification", account["accessToken"], {"code": code}).status, 204)
        account["grant"] = self.study.account("grant", "--account", account["account"], "--role", role, "--group", group,
                                              *options)["grant"]
        return account

    def phone(self, account, patient=None):
        return Phone(self, account["accessToken"], (patient or account)["account"])


class Access(CareTest):
    ROUTES = (("POST", "revisions/pull", {"knowledgeVector": vector()}),
              ("POST", "revisions", {"knowledgeVector": vector(), "revisions": []}), ("GET", "plan", None),
              ("GET", "events?from=2001-01-01&to=2001-01-03", None),
              ("GET", "adherence?from=2001-01-01&to=2001-01-02", None), ("GET", "fhir", None))

    def test_each_route_for_each_caller(self):
        ann = self.sign_up("ann")
        doctor, observer = self.member("doctor", "care-team"), self.member("observer", "observer")
        study, south = self.member("study", "study-team"), self.member("south", "care-team", "south")
        stranger = self.sign_up("stranger")
        self.phone(ann).push(task())

        def statuses(method, route, body):
            found = {}
            for name, caller in (("own", ann), ("doctor", doctor), ("observer", observer), ("study", study),
                                 ("south", south), ("stranger", stranger), ("none", None)):
                answer = self.ask(method, f"patients/{ann['account']}/{route}", caller and caller["accessToken"], body)
                found[name] = (answer.status, answer.code if answer.status != 200 else None)
            return found

        for method, route, body in self.ROUTES:
            found = statuses(method, route, body)
            writes = route == "revisions"
            self.assertEqual(found["own"], (200, None), route)
            self.assertEqual(found["doctor"], (200, None), route)
            self.assertEqual(found["observer"], (403, "read-only") if writes else (200, None), route)
            self.assertEqual(found["study"][0], 404, route)
            self.assertEqual(found["south"][0], 404, route)
            self.assertEqual(found["stranger"], (403, "no-grant"), route)
            self.assertEqual(found["none"][0], 401, route)
        # Without sharing, the plan is the patient's alone.
        self.ask("PUT", "me/sharing", ann["accessToken"], {"sharing": False})
        for method, route, body in self.ROUTES:
            found = statuses(method, route, body)
            self.assertEqual(found["own"], (200, None), route)
            self.assertEqual((found["doctor"][0], found["observer"][0]), (404, 404), route)
        read = self.ask("GET", "me/access", ann["accessToken"]).json["read"]
        self.assertEqual({(row["account"], row["what"]) for row in read},
                         {(doctor["account"], "plan"), (observer["account"], "plan")})

    def test_the_requests_of_the_guide_are_answered(self):
        ann, doctor = self.sign_up("ann"), self.member("doctor", "care-team")
        self.phone(ann).push(task())
        cursor = self.ask("GET", "patients", doctor["accessToken"]).json["next"]
        self.phone(ann).push(task("walk"))
        lines = [line for line in (harness.ROOT / "docs/care-plans.md").read_text().splitlines() if line.startswith("curl ")]
        self.assertEqual(len(lines), 5)
        variables = {**os.environ, "TOKEN": doctor["accessToken"], "URL": self.server.url, "PATIENT": ann["account"],
                     "CURSOR": cursor}
        answers = []
        for line in lines:
            ran = subprocess.run(["sh", "-c", line + " --fail --silent --show-error"], env=variables, capture_output=True,
                                 text=True, timeout=60)
            self.assertEqual(ran.returncode, 0, (line, ran.stderr))
            answers.append(json.loads(ran.stdout))
        plan, events, adherence, fhir, patients = answers
        self.assertEqual(sorted(entity["object"]["id"] for entity in plan["entities"]), ["stretch", "walk"])
        self.assertEqual(len([event for event in events if event["task"] == "walk"]), 8)
        self.assertEqual((len(adherence), fhir["resourceType"]), (30, "Bundle"))
        self.assertEqual([row["changed"] for row in patients["patients"]], [["plan"]])

    def test_a_pull_that_waits_ends_with_the_access(self):
        ann = self.sign_up("ann")
        ended, hidden = self.member("ended", "care-team"), self.member("hidden", "observer")
        until(lambda: self.ask("GET", f"patients/{ann['account']}/plan", hidden["accessToken"]).status == 200, "access")

        def wait(account):
            begin = time.monotonic()
            answer = self.ask("POST", f"patients/{ann['account']}/revisions/pull", account["accessToken"],
                              {"knowledgeVector": vector(), "wait": 30})
            return answer.status, time.monotonic() - begin

        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiting = [pool.submit(wait, account) for account in (ended, hidden, ann)]
            time.sleep(1)
            self.assertFalse(any(one.done() for one in waiting))
            self.study.account("revoke", ended["grant"])
            status, seconds = waiting[0].result()
            self.assertEqual(status, 403)
            self.assertLess(seconds, 25)
            self.ask("PUT", "me/sharing", ann["accessToken"], {"sharing": False})
            self.assertEqual(waiting[1].result()[0], 404)
            self.ask("DELETE", "sessions/current", ann["accessToken"])
            self.assertEqual(waiting[2].result()[0], 401)

    def test_news_of_another_process_ends_a_wait_and_the_end_of_the_server_too(self):
        ann, doctor = self.sign_up("ann"), self.member("doctor", "care-team")
        other = self.study.serve("--roles", "accounts")
        cursor = self.ask("GET", "patients", doctor["accessToken"]).json["next"]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list_of_patients = pool.submit(self.ask, "GET", f"patients?after={cursor}&wait=30", doctor["accessToken"])
            pull = pool.submit(self.ask, "POST", f"patients/{ann['account']}/revisions/pull", doctor["accessToken"],
                               {"knowledgeVector": vector(), "wait": 30})
            time.sleep(0.5)
            self.assertFalse(list_of_patients.done() or pull.done())
            phone = self.phone(ann)
            body = {"revisions": [{"entities": [task()], "knowledgeVector": phone.vector()}], "knowledgeVector": phone.vector()}
            begin = time.monotonic()
            pushed = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], body, other)
            self.assertEqual(pushed.status, 200, pushed)
            self.assertEqual(len(pull.result().json["revisions"]), 1)
            self.assertEqual(list_of_patients.result().json["patients"][0]["changed"], ["plan"])
            self.assertLess(time.monotonic() - begin, 20)
            self.assertEqual(other.stop(), 0)
            waiting = pool.submit(self.ask, "POST", f"patients/{ann['account']}/revisions/pull", doctor["accessToken"],
                                  {"knowledgeVector": pull.result().json["knowledgeVector"], "wait": 30})
            time.sleep(0.5)
            begin = time.monotonic()
            self.assertEqual(self.server.stop(), 0)
            self.assertEqual(waiting.result().status, 200)
            self.assertLess(time.monotonic() - begin, 20)


class Revisions(CareTest):
    def test_conflicts_of_two_phones_are_resolved_and_a_repeated_push_has_the_same_answer(self):
        ann = self.sign_up("ann")
        one, two = self.phone(ann), self.phone(ann)
        first = task()
        one.push(first)
        entities, known = two.pull()
        self.assertEqual(entities, [first])
        two.merge(known)
        one.push(task(previous=[first], updated=5, title="one"), outcome(first, updated=3))
        versions = [task(previous=[first], updated=4, title="two"), outcome(first, updated=9, id="late")]
        body = {"revisions": [{"entities": versions, "knowledgeVector": two.vector()}], "knowledgeVector": two.vector()}
        answers = [two.ask("POST", "revisions", body).json for _ in range(3)]
        self.assertEqual(answers[1:], answers[:1] * 2)
        plan = two.ask("GET", "plan").json["entities"]
        self.assertEqual(sorted((row["type"], row["object"]["id"], row["object"].get("title")) for row in plan),
                         [("outcome", "late", None), ("task", "stretch", "one")])
        everything, known = two.pull(since=vector())
        self.assertEqual(len(everything), 7)
        self.assertEqual(len({row["object"]["uuid"] for row in everything}), 7)
        positions = {row["object"]["uuid"]: index for index, row in enumerate(everything)}
        for index, row in enumerate(everything):
            for parent in row["object"]["previousVersionUUIDs"] + [row["object"].get("taskUUID")]:
                self.assertTrue(parent is None or positions[parent] < index)
        # A store of CareKit gets one version of the event.
        shaped, _ = two.pull(since=vector(), **{"for": "carekit"})
        self.assertEqual([row["object"]["id"] for row in shaped if row["type"] == "outcome"], ["late"])
        self.server.stop()
        self.server = self.study.serve()
        self.assertEqual(two.pull(since=vector()), (everything, known))

    def test_pages_and_unchanged_content(self):
        ann = self.sign_up("ann")
        phone = self.phone(ann)
        sent = [task(f"task-{index}", asset="ü\u0000\U0001F600", unknown={"number": index}) for index in range(1_234)]
        phone.push(*sent)
        answer = phone.ask("POST", "revisions/pull", {"knowledgeVector": vector()}).json
        self.assertEqual(sum(len(row["entities"]) for row in answer["revisions"]), 500)
        phone.push(task("late"))
        entities, _ = phone.pull(since=vector())
        self.assertEqual(sorted(row["object"]["id"] for row in entities),
                         sorted([row["object"]["id"] for row in sent] + ["late"]))
        self.assertEqual({row["object"]["id"]: row for row in entities if row["object"]["id"] != "late"},
                         {row["object"]["id"]: row for row in sent})
        # A version without its digits changed.
        raw = json.dumps(task("digits")).replace('"effectiveDate": 0', '"effectiveDate": 712345678.10000000')
        process = json.dumps(phone.vector())
        self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"],
                 f'{{"revisions": [{{"entities": [{raw}], "knowledgeVector": {process}}}], "knowledgeVector": {process}}}')
        answer = self.ask("GET", f"patients/{ann['account']}/plan", ann["accessToken"])
        self.assertIn(b'"effectiveDate":712345678.10000000', answer.body)

    def test_two_processes_that_serve_one_store_resolve_all_conflicts(self):
        ann = self.sign_up("ann")
        other = self.study.serve("--roles", "accounts")
        first = task()
        self.phone(ann).push(first)

        def work(number):
            phone = self.phone(ann)
            for step in range(8):
                body = {"revisions": [{"entities": [outcome(first, step), task(previous=[first], updated=step)],
                                       "knowledgeVector": phone.vector()}], "knowledgeVector": phone.vector()}
                answer = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], body,
                                  (self.server, other)[(number + step) % 2])
                self.assertEqual(answer.status, 200, answer)
                phone.clock += 1

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        plan = self.phone(ann).ask("GET", "plan").json["entities"]
        self.assertEqual(sorted(row["type"] for row in plan), ["outcome"] * 8 + ["task"])
        self.assertEqual({row["object"]["taskOccurrenceIndex"] for row in plan if row["type"] == "outcome"}, set(range(8)))
        self.assertGreaterEqual(len(self.phone(ann).pull()[0]), 97)


class BadInput(CareTest):
    def large(self, account, body):
        """The status of the answer to a push whose body the server does not read to its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.putrequest("POST", f"/v1/patients/{account['account']}/revisions")
        connection.putheader("Authorization", f"Bearer {account['accessToken']}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        try:
            connection.send(body)
        except OSError:
            pass
        with connection.getresponse() as answer:
            connection.close()
            return answer.status

    def test_bad_pushes_have_codes_and_the_next_valid_push_succeeds(self):
        ann, bob = self.sign_up("ann"), self.sign_up("bob")
        phone, other = self.phone(ann), self.phone(bob)
        first = task()
        phone.push(first)

        def refused(body, status, code, path="revisions"):
            begin = time.monotonic()
            phone.ask("POST", path, body, status, code)
            self.assertLess(time.monotonic() - begin, 30)

        def push(*entities, known=None):
            return {"revisions": [{"entities": list(entities), "knowledgeVector": phone.vector()}],
                    "knowledgeVector": known or phone.vector()}

        process = new_id()
        for clock in (-1, 1.5, "1", None, 2 ** 60, 10 ** 400):
            for path in ("revisions", "revisions/pull"):
                refused({"revisions": [], "knowledgeVector": {"processes": [{"id": process, "clock": clock}]}}, 400,
                        "vector-invalid", path)
        many = {"processes": [{"id": new_id(), "clock": 1} for _ in range(60_000)]}
        refused({"revisions": [], "knowledgeVector": many}, 400, "vector-invalid")
        self.assertEqual(phone.ask("POST", "revisions/pull", {"knowledgeVector": many}, 413).status, 413)
        # A million clocks.
        million = b'{"revisions":[],"knowledgeVector":{"processes":[' + b",".join(
            b'{"id":"%08X-0000-4000-8000-000000000000","clock":1}' % index for index in range(1_000_000)) + b"]}}"
        self.assertEqual(self.large(ann, million), 413)
        # Cycles.
        alone, a, b = task("alone"), task("pair"), task("pair")
        alone["object"]["previousVersionUUIDs"] = [alone["object"]["uuid"]]
        a["object"]["previousVersionUUIDs"], b["object"]["previousVersionUUIDs"] = [b["object"]["uuid"]], [a["object"]["uuid"]]
        refused(push(alone), 422, "version-cycle")
        refused(push(a, b), 422, "version-cycle")
        # References.
        refused(push(task(previous=[task()])), 409, "reference-missing")
        refused(push(outcome(task())), 409, "reference-missing")
        theirs = task()
        other.push(theirs)
        refused(push(outcome(theirs)), 409, "reference-missing")
        # Outcomes for which CareKit would end the app.
        refused(push(outcome(first, -1)), 422, "outcome-impossible")
        short = task("short", plan=schedule(end=3 * DAY))
        health = task("steps", kind="healthKitTask", healthKitLinkage={
            "quantityIdentifier": "stepCount", "quantityType": "cumulative", "unitString": "count"})
        refused(push(short, outcome(short, 7)), 422, "outcome-impossible")
        refused(push(health, outcome(health)), 422, "outcome-impossible")
        # Schedules.
        for plan in (schedule({"day": 0}), schedule({"day": -1}), schedule({}),
                     schedule(calendar=CALENDAR | {"identifier": "moon"}),
                     schedule(calendar=CALENDAR | {"timeZone": {"identifier": "Mars/Olympus"}}), {"elements": []}):
            answer = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], push(task("bad", plan=plan)))
            self.assertIn((answer.status, answer.code), {(422, "schedule-invalid"), (400, "entity-invalid")}, plan)
        every_second = task("dense", plan=schedule({"second": 1}, duration={"isAllDay": False, "seconds": 1}))
        phone.push(every_second)
        answer = phone.ask("GET", "events?from=2001-01-01&to=2001-12-01", status=422)
        self.assertIn(answer.code, ("schedule-too-dense", "range-too-large"))
        # Bodies.
        for body in (b"", b"[]", b"{", b'{"revisions":{}}', b'{"revisions":[1],"knowledgeVector":{"processes":[]}}'):
            answer = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], body)
            self.assertEqual(answer.status, 400, body)
            self.assertIn(answer.code, ("body-invalid", "entity-invalid", "vector-invalid"))
        for member in ("uuid", "id", "effectiveDate", "schedule", "previousVersionUUIDs"):
            broken = task("broken")
            del broken["object"][member]
            answer = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], push(broken))
            self.assertIn((answer.status, answer.code), {(400, "entity-invalid"), (422, "schedule-invalid")}, member)
        refused({"knowledgeVector": vector(), "after": "1"}, 400, "cursor-invalid", "revisions/pull")
        refused({"knowledgeVector": vector(), "wait": 31}, 400, "wait-invalid", "revisions/pull")
        refused({"knowledgeVector": vector(), "for": "parse"}, 400, "body-invalid", "revisions/pull")
        self.assertEqual(self.large(ann, json.dumps(push(task("large", instructions="x" * 50_000_000))).encode()), 413)
        # One uuid with two contents: the first one stays. Another patient may have the same one.
        changed = json.loads(json.dumps(first))
        changed["object"]["title"] = "changed"
        phone.push(changed)
        changed["object"]["id"] = "of another patient"
        other.push(changed)
        self.assertEqual(phone.ask("GET", "plan").json["entities"][1], first)
        self.assertEqual(sum("title" in row["object"] for row in other.ask("GET", "plan").json["entities"]), 1)
        # Nothing of the refused pushes is there, and two phones may create the same default tasks.
        entities, _ = phone.pull(since=vector())
        self.assertEqual([row["object"]["id"] for row in entities], ["stretch", "dense"])
        two = self.phone(ann)
        two.push(task("stretch", updated=9))
        entities, _ = phone.pull(since=vector())
        self.assertEqual([row["object"]["id"] for row in entities], ["stretch", "dense", "stretch", "stretch"])

    @ROOT_ALONE
    def test_a_full_disk(self):
        study = AccountStudy()
        self.addCleanup(study.close)
        (study.dir / "data").mkdir(exist_ok=True)
        if not mount(study.dir / "data", 12):
            self.skipTest("this system lets nobody mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", str(study.dir / "data")], check=False)
        self.study, self.server = study, study.serve()
        ann = self.sign_up("ann")
        phone = self.phone(ann)
        ballast = fill(study.dir / "data")
        stored, failed = [], None
        for index in range(200):
            id = f"task-{index}"
            versions = [task(id, instructions=os.urandom(100_000).hex())]
            body = {"revisions": [{"entities": versions, "knowledgeVector": phone.vector()}], "knowledgeVector": phone.vector()}
            answer = self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], body)
            if answer.status != 200:
                failed = answer
                break
            stored.append(id)
            phone.clock += 1
        self.assertIsNotNone(failed, "the disk was full")
        self.assertEqual((failed.status, failed.code), (507, "storage-full"))
        ballast.unlink()
        self.assertEqual(self.ask("POST", f"patients/{ann['account']}/revisions", ann["accessToken"], body).status, 200)
        entities, _ = phone.pull(since=vector())
        self.assertEqual([row["object"]["id"] for row in entities], [*stored, id])


class Recovery(CareTest):
    def test_after_a_restore_phones_send_what_the_backup_lacks(self):
        ann = self.sign_up("ann")
        one, two = self.phone(ann), self.phone(ann)
        first = task()
        one.push(first)
        two.merge(two.pull()[1])
        file = self.study.root / "backup.tar"
        tributary("backup", self.study.dir, "-o", file)
        # The backup lacks this version and its vector.
        second = task(previous=[first], updated=3)
        one.push(second)
        entities, known = two.pull()
        self.assertEqual(entities, [second])
        two.merge(known)
        self.server.stop()
        lost, self.study.dir = self.study.dir, self.study.root / "again"
        tributary("restore", file, "-o", self.study.dir)
        shutil.copytree(lost / "keys", self.study.dir / "keys")
        self.server = self.study.serve()
        one.ask("POST", "revisions", {"revisions": [], "knowledgeVector": vector()}, 401)
        one.token, two.token = self.sign_in("ann")["accessToken"], self.sign_in("ann")["accessToken"]
        # Each session first gets nothing, and all processes at clock 0; then it has sent what it has.
        for phone in (two, one):
            for _ in range(2):
                entities, known = phone.pull()
                self.assertEqual((entities, set(known.values())), ([], {0}))
                self.assertIn(phone.process, known)
            phone.push(first, second)
        entities, known = one.pull(since=vector())
        self.assertEqual([row["object"]["uuid"] for row in entities], [first["object"]["uuid"], second["object"]["uuid"]])
        # A version that arrives late is found by a copy whose vector covers it.
        third = task("late")
        early = vector(**{one.process: 2})
        body = {"revisions": [{"entities": [third], "knowledgeVector": early}], "knowledgeVector": one.vector()}
        one.ask("POST", "revisions", body)
        two.merge(known)
        self.assertEqual(two.pull()[0], [third])

    def test_plans_are_deleted_with_the_account(self):
        ann = self.sign_up("ann")
        phone = self.phone(ann)
        phone.push(task(title="Planted-Title"))
        tributary("account", "delete", self.study.dir, "--account", ann["account"])

        def rows():
            return sum(self.study.people_sql(f"SELECT count(*) FROM {table}")[0][0] for table in (
                "care_log", "care_push", "care_vector", "care_clock", "care_version", "care_session"))
        until(lambda: rows() == 0, "the plan is deleted")
        self.server.stop()
        if not self.study.url:
            self.assertNotIn(b"Planted-Title", (self.study.dir / "data" / "people.sqlite").read_bytes())


if __name__ == "__main__":
    unittest.main()
