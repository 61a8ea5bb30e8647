"""Permissions from outside: the document's flow and that of version 2 by a client that signs with openssl, Authlib at the token
endpoint, the apps of the command line by URLs only, and a study without the document's form."""

import datetime
import unittest

import smart
from fhirblocks import Csi, get, instant, nonce, now, permission, post, put, settings, wallet, wallet_code, writer_token
from forms import observation
from harness import SpineTest, Study, tributary, until

CONFIDENTIALITY = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
RECORD = {"permissionId", "grantingCsiGuid", "permissionedCsiGuids", "startTime", "endTime", "timeStamp", "heartScope", "status",
          "consentId", "signature", "sigVersion"}


class Permitting(SpineTest):
    """A study with two Patients and some records."""

    legacy = False

    @classmethod
    def make_study(cls):
        return Study(change=settings(legacy=cls.legacy))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.writer = writer_token(cls.study)
        cls.patients = 0

    @classmethod
    def patient(cls, observations=1):
        """A new Patient with records, one of which is restricted."""
        cls.patients += 1
        name = f"p{cls.patients}"
        put(cls.server, cls.writer, {"resourceType": "Patient", "id": name, "birthDate": "1980-01-01"})
        for number in range(observations):
            put(cls.server, cls.writer, {**observation(name, 60 + number), "id": f"o{number}-{name}"})
        put(cls.server, cls.writer, {**observation(name, 99), "id": f"r-{name}",
                                     "meta": {"security": [{"system": CONFIDENTIALITY, "code": "R"}]}})
        return name

    @classmethod
    def wallet(cls, patient=None, **options):
        return wallet(cls.study, cls.server, patient or cls.patient(), **options)

    @classmethod
    def app(cls, of=None, name="Steps", **options):
        return Csi(cls.server, name, device=of and of.device, **options).register()

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        if answer.json.get("status") == "error":
            self.assertEqual(set(answer.json), {"status", "error", "message", "requestId"})
        return answer

    def ids(self, app, search, token=None):
        """The ids that a search finds."""
        answer = app.read(search, token)
        self.assertEqual(answer.status, 200, answer)
        return {row["resource"]["id"] for row in answer.json.get("entry", []) if row["search"]["mode"] == "match"}


class TheDocument(Permitting):
    """The seed document's steps, by version 1."""

    legacy = True

    def test_flow_from_ping_to_fbcFhirId(self):
        server, study = self.server, self.study
        # A participant of a phone, whose Patient is labelled PSEUDED.
        patient = self.member().participant
        # 1. ping, getTime, and a guid for each csi.
        ping = get(server, "/util/ping")
        self.assertEqual((ping.status, ping.json["status"]), (200, "ok"))
        self.assertEqual(set(ping.json), {"status", "name", "version"})
        answer = get(server, "/util/getTime")
        self.assertEqual(set(answer.json), {"currentTime"})
        time = datetime.datetime.strptime(answer.json["currentTime"], "%Y-%m-%dT%H:%M:%S.%f%z")
        self.assertLess(abs((time - now()).total_seconds()), 60)
        guids = {get(server, "/util/getGloballyUniqueIdentifier").json["guid"] for _ in range(3)}
        self.assertEqual([len(guids), {len(guid) for guid in guids}], [3, {36}])
        # 2. The wallet, with the claims of its person, and its Patient.
        owner = Csi(server, "FBlocksCSA", version=1).register(("1980-01-01", "Ann", "", "Roe", "female"))
        app = Csi(server, "mHealth DApp", device=owner.device, version=1)
        # 3. The app, on the same device. It reads the claims of the wallet before there is a permission.
        app.register()
        answer = app.claims_of(owner)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json["claims"], [
            {"key": "DateofBirth", "value": "1980-01-01"}, {"key": "FirstName", "value": "Ann"}, {"key": "MiddleName", "value": ""},
            {"key": "LastName", "value": "Roe"}, {"key": "Gender", "value": "female"}])
        self.refused(Csi(server, device="another", version=1).register().claims_of(owner), 404, "no_such_csi")
        # 4. An unbound wallet grants nothing.
        given = permission([app], "Patient", "write", "V", ["ETH", "SOC"], end=now(days=30))
        self.refused(owner.write(given), 403, "not_permitted")
        owner.bind(wallet_code(study, patient))
        self.assertEqual(owner.patient, patient)
        self.refused(app.auth("patient/Patient.read"), 400, "invalid_scope")
        # 5. The permission, seen by both.
        [granted] = owner.ask("/permission/writePermission", permission=given)["permissionIds"]
        for found in (owner.given(), app.received()):
            self.assertEqual([row["permissionId"] for row in found], [granted])
            self.assertLessEqual(RECORD, set(found[0]))
            self.assertEqual((found[0]["grantingCsiGuid"], found[0]["permissionedCsiGuids"], found[0]["status"],
                              found[0]["sigVersion"]), (owner.guid, [app.guid], "active", "1"))
            for name in ("startTime", "endTime", "timeStamp", "heartScope"):
                self.assertEqual(found[0][name], given[name])
        self.assertEqual((owner.received(), app.given()), ([], []))
        # 6. The tokens, with the document's form and that of the app, which escapes once more.
        scope = "patient/Patient.read sens/ETH sens/SOC conf/V"
        for escaped_again in (False, True):
            code = app.auth(scope)
            self.assertEqual(code.status, 200, code)
            self.assertEqual(set(code.json), {"code", "expires_in", "state", "scope"})
            self.assertLessEqual(code.json["expires_in"], 60)
            self.assertEqual(code.json["state"], app.device)
            answer = app.access(code.json["code"], escaped_again)
            self.assertEqual(answer.status, 200, answer)
            token = answer.body.decode()
            self.assertRegex(token, r"\A[\x21-\x7e]{20,}\Z")
            # 7. The Patient.
            for path in ("", "/", "?_format=json", "/?_format=json", "/?_format=json?"):
                for header in (f"Bearer {token}", f"Bearer{token}"):
                    answer = server.request("GET", "/baseDstu3/Patient/fbcFhirId" + path, {"Authorization": header})
                    self.assertEqual(answer.status, 200, (path, answer))
                    self.assertEqual((answer.json["resourceType"], answer.json["id"]), ("Patient", patient))
            self.assertEqual(app.read(f"Patient/{patient}", token).status, 200)
            # A code is valid once; a second use ends its token.
            self.refused(app.access(code.json["code"], escaped_again), 400, "invalid_grant")
            self.assertEqual(app.read(f"Patient/{patient}", token).status, 401)
        # 8. The end, by the call that the document does not have.
        self.assertEqual(owner.end(app).json, {"status": "ok", "revoked": 1})
        self.assertEqual((owner.given(), app.received()), ([], []))
        self.refused(app.auth(scope), 400, "invalid_scope")
        for call in ("/csi/requestCsiRegistration", "/csi/fetchPublicClaims", "/permission/writePermission",
                     "/permission/fetchPermissionsGivenToMe"):
            answer = get(server, call)
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, "POST"), call)

    def test_J15_the_key_is_that_of_the_issuer_whatever_the_header_says(self):
        owner = self.wallet()
        app, other = self.app(owner, version=1), self.app(owner, version=1)
        owner.grant(app)
        for head in ({"kid": other.guid, "alg": "none"}, {"kid": "../../etc/passwd", "alg": "HS256"}, {}):
            code = app.auth("patient/Patient.read").json["code"]
            self.assertEqual(app.access(code, head=head).status, 200, head)
        code = app.auth("patient/Patient.read").json["code"]
        self.refused(app.access(code, key_of=other), 401, "invalid_client")

    def test_a_single_grantee_and_the_oldest_parent_of_version_1(self):
        owner = self.wallet()
        app = self.app(owner, version=1)
        doctor = self.app(version=1)
        tributary("csi", "role", self.study.dir, doctor.guid, "--role", "provider")
        older, newer = (owner.grant(app, access="write", types=types)[0] for types in ("Observation", "*"))
        for types, parent in (("Observation", older), ("Patient", newer)):
            given = permission([doctor], types, end=now(hours=1))
            given["permissionedCsiGuid"] = given.pop("permissionedCsiGuids")[0]
            [passed] = app.ask("/permission/writePermission", permission=given)["permissionIds"]
            [found] = [row for row in doctor.received() if row["permissionId"] == passed]
            self.assertEqual(found["parentPermissionId"], parent)


class Version2(Permitting):
    """The safe form, which each study accepts."""

    def test_flow(self):
        patient = self.patient()
        owner = self.wallet(patient)
        app = self.app(owner)
        self.assertEqual(owner.patient, patient)
        # Claims need a permission.
        self.assertEqual(app.claims_of(app).json["claims"][0], {"key": "DateofBirth", "value": ""})
        self.refused(app.claims_of(owner), 404, "no_such_csi")
        self.refused(app.token_answer(), 400, "invalid_scope")
        [granted] = owner.grant(app, access="read", types="Observation,Patient")
        self.assertEqual([app.claims_of(owner).status, owner.claims_of(app).status], [200, 200])
        [found] = app.received()
        self.assertLessEqual(RECORD, set(found))
        self.assertEqual((found["consentId"], found["sigVersion"]), (granted, "2"))
        # The token lists the access, and reads what is permitted.
        answer = app.token_answer()
        self.assertLessEqual(answer.json["expires_in"], 300)
        self.assertIn("Observation", answer.json["scope"])
        token = answer.json["access_token"]
        self.assertEqual(self.ids(app, "Observation", token), {f"o0-{patient}"})
        self.assertEqual(app.read(f"Observation/r-{patient}", token).status, 404)
        self.assertEqual(self.ids(app, "Patient", token), {patient})
        self.assertEqual(app.read("Condition", token).status, 403)
        self.assertEqual(app.read("Observation", token, "POST", observation(patient, 70)).status, 403)
        # Consent and Provenance are for staff, and no app writes them.
        staff = self.study.staff_token()
        consent = self.server.request("GET", f"/fhir/Consent/{granted}", {"Authorization": f"Bearer {staff}"})
        self.assertEqual((consent.status, consent.json["status"]), (200, "active"), consent)
        changed = self.server.request("PUT", f"/fhir/Consent/{granted}", {
            "Authorization": f"Bearer {self.writer}", "Content-Type": "application/fhir+json"}, consent.json | {"status": "inactive"})
        self.assertEqual((changed.status, changed.code), (403, "permission-not-written-here"))
        # A new key ends neither token nor permission.
        former = app.key
        app.rotate()
        self.refused(app.call("/permission/fetchPermissionsGivenToMe", key=former), 401, "bad_signature")
        self.assertEqual(len(app.received()), 1)
        self.assertEqual(app.read("Observation", token).status, 200)
        # The end counts at the next request.
        self.assertEqual(owner.end(app, granted).json, {"status": "ok", "revoked": 1})
        self.assertIn(app.read("Observation", token).status, (401, 403))
        self.assertEqual(([], ["revoked"]), (app.received(), [row["status"] for row in app.received(True)]))
        self.refused(app.token_answer(), 400, "invalid_scope")

    def test_write_access_creates_and_updates(self):
        patient = self.patient()
        owner = self.wallet(patient)
        app = self.app(owner)
        owner.grant(app, access="write", types="*")
        token = app.token()
        made = app.read("Observation", token, "POST", observation(patient, 77))
        self.assertEqual(made.status, 201, made)
        path = made.headers["Location"].split("/fhir/")[1].split("/_history/")[0]
        self.assertEqual(app.read(path, token, "PUT", observation(patient, 78) | {"id": path.split("/")[1]}).status, 200)
        self.assertEqual(app.read(path, token, "DELETE").status, 403)
        other = self.patient()
        self.assertEqual(app.read("Observation", token, "POST", observation(other, 79)).status, 403)
        self.assertEqual(app.read("Consent", token).status, 403)

    def test_a_new_wallet_sees_and_ends_what_the_former_one_gave(self):
        patient = self.patient()
        owner = self.wallet(patient)
        app = self.app(owner)
        [granted] = owner.grant(app)
        token = app.token()
        newer = self.wallet(patient)
        self.refused(owner.call("/permission/fetchPermissionsGivenByMe"), 410, "csi_revoked")
        self.assertEqual([row["permissionId"] for row in newer.given()], [granted])
        self.assertEqual(app.read("Observation", token).status, 200)
        self.assertEqual(newer.end(app).json["revoked"], 1)
        self.assertIn(app.read("Observation", token).status, (401, 403))
        # A device has one wallet, and a code is valid once.
        rival = Csi(self.server, "Wallet", device=newer.device).register()
        code = wallet_code(self.study, self.patient())
        self.refused(rival.call("/csi/bind", version=2, code=code), 409, "key_mismatch")
        third = Csi(self.server, "Wallet").register().bind(code)
        self.refused(Csi(self.server, "Wallet").register().call("/csi/bind", version=2, code=code), 403, "not_permitted")
        self.assertNotEqual(third.patient, newer.patient)

    def test_the_end_of_an_app_ends_what_it_received_and_passed_on(self):
        owner = self.wallet()
        app, doctor = self.app(owner), self.app()
        tributary("csi", "role", self.study.dir, doctor.guid, "--role", "caregiver")
        [parent] = owner.grant(app, access="write")
        [passed] = app.grant(doctor, parent=parent, end=now(hours=1))
        self.assertEqual([row["permissionId"] for row in doctor.received()], [passed])
        token = doctor.token()
        # A stranger ends nothing; the wallet of the device does.
        self.refused(self.wallet().revoke(app), 404, "no_such_csi")
        answer = owner.revoke(app)
        self.assertEqual((answer.status, answer.json["status"]), (200, "ok"))
        self.assertIn(answer.json["csiGuid"], (owner.guid, app.guid))
        self.refused(app.call("/permission/fetchPermissionsGivenToMe"), 410, "csi_revoked")
        self.assertEqual((owner.given(), doctor.received()), ([], []))
        self.assertIn(doctor.read("Observation", token).status, (401, 403))
        rows = {row["csiGuid"] for row in tributary("csi", "list", self.study.dir, "--json").json}
        self.assertLessEqual({owner.guid, doctor.guid, app.guid}, rows)

    def test_values_of_claims_need_identified_records(self):
        self.study.change(lambda value: value.update(identifiedRecords=False))
        server = self.study.serve("--roles", "records,authorization")
        try:
            named = Csi(server)
            answer = post(server, "/csi/requestCsiRegistration", named.registration(values=("", "Ann", "", "", "")))
            self.refused(answer, 422, "identifying_data")
            Csi(server).register()
        finally:
            server.stop()
            self.study.change(lambda value: value.update(identifiedRecords=True))

    def test_access_ends_at_the_second_and_begins_at_it(self):
        """P01."""
        patient = self.patient()
        owner = self.wallet(patient)
        app = self.app(owner)
        owner.grant(app, start=now(hours=1), end=now(hours=2))
        self.refused(app.token_answer(), 400, "invalid_scope")
        self.assertEqual([row["status"] for row in app.received()], ["active"])
        end = now(seconds=4).replace(microsecond=0)
        owner.grant(app, end=end)
        answer = app.token_answer()
        token = answer.json["access_token"]
        self.assertLessEqual(answer.json["expires_in"], 5)
        seen = []

        def over():
            before = now()
            status = app.read("Observation", token).status
            seen.append((before, status, now()))
            return now() > end + datetime.timedelta(seconds=1)

        until(over, "the end")
        for before, status, after in seen:
            if after < end:
                self.assertEqual(status, 200, (before, end))
            elif before >= end:
                self.assertIn(status, (401, 403), (before, end))
        self.refused(app.token_answer(), 400, "invalid_scope")
        # deletePermission also ends the one that has not begun.
        self.assertEqual(owner.end(app).json["revoked"], 1)

    def test_scopes_of_tokens(self):
        first, second = self.patient(), self.patient()
        owner, other = self.wallet(first), self.wallet(second)
        app, remote = self.app(owner), self.app()
        for giver in (owner, other):
            giver.grant(app)
            giver.grant(remote)
        self.assertEqual(self.ids(app, "Patient", app.token("user/*.rs")), {first, second})
        self.assertEqual(self.ids(app, "Patient", app.token("patient/*.rs")), {first})
        self.refused(remote.token_answer("patient/*.rs"), 400, "invalid_scope")
        other.end(remote)
        self.assertEqual(self.ids(remote, "Patient", remote.token("patient/*.rs")), {first})
        for scope in ("system/*.rs", "openid", "btg"):
            self.refused(remote.token_answer(scope), 400, "invalid_scope")


class Authlib(Permitting):
    @classmethod
    def setUpClass(cls):
        cls.programs = smart.Programs()
        cls.addClassCleanup(cls.programs.close)
        if not cls.programs.python:
            raise unittest.SkipTest("authlib cannot be installed from PyPI")
        super().setUpClass()

    def test_authlib_gets_a_token_of_a_csi(self):
        owner = self.wallet()
        app = self.app(owner)

        def ask():
            return self.programs.run(
                "service", client=app.guid, kid=app.guid, key=app.key.pem, algorithm="ES256", lifetime=240, scope="patient/*.rs",
                token_url=self.server.url + "/oauth2/token", read=self.server.url + "/fhir/Observation")

        self.assertEqual(ask()["error"], "invalid_scope")
        owner.grant(app)
        answer = ask()
        self.assertEqual(answer.get("status"), 200, answer)
        self.assertLessEqual(answer["token"]["expires_in"], 300)
        owner.revoke(app)
        self.assertEqual(ask()["error"], "invalid_client")


class CommandLine(Permitting):
    """The apps of the command line, which exchange URLs only."""

    def run_it(self, *arguments, status=0):
        done = tributary(*arguments, "--json", status=status)
        return done.json if status == 0 else done

    def begin(self, scope="patient/Observation.read"):
        """A wallet, an app, and the request of the app."""
        patient = self.patient()
        folder = self.study.root / patient
        person, app = folder / "wallet", folder / "app"
        owner = self.run_it("wallet", "register", "--store", person, "--url", self.server.url, "--code",
                            wallet_code(self.study, patient))
        self.assertEqual(set(owner), {"csiGuid", "deviceId", "open"})
        options = ["--scope", scope] if scope else []
        first = self.run_it("dapp", "register", "--store", app, "--url", self.server.url, "--scheme", "steps", "--name", "Steps",
                            *options)
        self.assertEqual(set(first), {"open"})
        answer = self.run_it("wallet", "open", "--store", person, first["open"])
        self.assertEqual(set(answer), {"answer"})
        ready = self.run_it("dapp", "open", "--store", app, answer["answer"])
        self.assertEqual((ready["state"], ready["permissions"]), ("asked", []))
        asked = self.run_it("wallet", "open", "--store", person, ready["open"])["request"]
        self.assertEqual(set(asked), {"csiGuid", "name", "scope"})
        # The server reports the name to the wallet of the same device.
        self.assertEqual(asked["name"], "Steps")
        self.assertEqual(asked["scope"], scope and scope + " conf/N")
        return patient, person, app, asked["csiGuid"]

    def test_flow_by_urls_only(self):
        patient, person, app, guid = self.begin()
        self.assertEqual(self.run_it("wallet", "given", "--store", person), {"permissions": []})
        granted = self.run_it("wallet", "grant", "--store", person, guid)
        self.assertEqual(set(granted), {"permissionId", "answer"})
        state = self.run_it("dapp", "open", "--store", app, granted["answer"])
        self.assertEqual((state["state"], [row["permissionId"] for row in state["permissions"]]),
                         ("granted", [granted["permissionId"]]))
        token = tributary("dapp", "token", "--store", app).text.strip()
        answer = self.server.request("GET", "/fhir/Observation", {"Authorization": f"Bearer {token}"})
        self.assertEqual([row["resource"]["id"] for row in answer.json["entry"]], [f"o0-{patient}"])
        for noun, folder, name in (("wallet", person, "given"), ("wallet", person, "history"), ("dapp", app, "received")):
            [row] = self.run_it(noun, name, "--store", folder)["permissions"]
            self.assertEqual(row["permissionId"], granted["permissionId"])
            self.assertIn(row["permissionId"], tributary(noun, name, "--store", folder).text)
        [row] = self.run_it("wallet", "apps", "--store", person)["apps"]
        self.assertEqual((row["csiGuid"], row["name"], row["state"]), (guid, "Steps", "granted"))
        self.run_it("wallet", "rotate-key", "--store", person)
        self.assertEqual(self.run_it("wallet", "received", "--store", person), {"permissions": []})
        ended = self.run_it("wallet", "revoke", "--store", person, granted["permissionId"])
        self.assertEqual(ended["revoked"], 1)
        state = self.run_it("dapp", "open", "--store", app, ended["answer"])
        self.assertEqual(state, {"state": "withdrawn", "permissions": []})
        self.assertIn("[invalid_scope]", tributary("dapp", "token", "--store", app, status=1).errors)
        answer = self.server.request("GET", "/fhir/Observation", {"Authorization": f"Bearer {token}"})
        self.assertIn(answer.status, (401, 403))
        for folder in (person, app):
            self.assertEqual({file.stat().st_mode & 0o777 for file in folder.iterdir()}, {0o600})

    def test_rejection_and_a_permission_that_is_passed_on(self):
        _, person, app, guid = self.begin(scope=None)
        answer = self.run_it("wallet", "reject", "--store", person, guid)
        self.assertEqual(set(answer), {"answer"})
        self.assertEqual(self.run_it("dapp", "open", "--store", app, answer["answer"])["state"], "rejected")
        self.assertIn("[no-request]", tributary("wallet", "reject", "--store", person, guid, status=1).errors)
        self.assertIn("[no-parent]", tributary("dapp", "grant", "--store", app, guid, status=1).errors)
        self.run_it("wallet", "grant", "--store", person, guid, "--access", "write", "--resource", "*", "--confidentiality", "R",
                    "--sensitivity", "ETH,SOC", "--until", instant(now(days=20)))
        doctor = self.study.root / "doctor"
        other = self.run_it("dapp", "register", "--store", doctor, "--url", self.server.url, "--scheme", "practice", "--name",
                            "Practice", "--device", "practice-1")
        self.assertEqual(set(other), {"csiGuid", "deviceId", "open"})
        grant = ("dapp", "grant", "--store", app, other["csiGuid"], "--resource", "Observation", "--until", instant(now(days=2)))
        self.assertIn("[not_permitted]", tributary(*grant, status=1).errors)
        tributary("csi", "role", self.study.dir, other["csiGuid"], "--role", "provider")
        passed = self.run_it(*grant)
        [row] = self.run_it("dapp", "received", "--store", doctor)["permissions"]
        self.assertEqual(row["permissionId"], passed["permissionId"])
        self.assertEqual(self.run_it("dapp", "given", "--store", app)["permissions"], [row])
        refused = tributary(*grant[:-1], instant(now(days=25)), status=1)
        self.assertIn("[delegation_exceeds_grant]", refused.errors)

    def test_P05_forged_messages_change_nothing(self):
        _, person, app, guid = self.begin()
        stranger = nonce()
        for url in ("steps://?dpermissionshared=true", "steps://?apppermissionshared=false", "steps://",
                    f"steps://?UniqueIdentifier=attacker&wcsi={stranger}"):
            self.assertEqual(self.run_it("dapp", "open", "--store", app, url), {"state": "asked", "permissions": []}, url)
        for url in ("FBlocksCSA://?scheme=https", "FBlocksCSA://?scheme=javascript", "FBlocksCSA://?dcsi=1", "http://127.0.0.1/", ""):
            self.assertIn("[message-invalid]", tributary("wallet", "open", "--store", person, url, status=1).errors, url)
        # A csi that the server does not know has no name, and no permission can be given to it.
        request = self.run_it("wallet", "open", "--store", person, f"FBlocksCSA://?dcsi={stranger}")["request"]
        self.assertEqual(request["name"], None)
        self.assertIn("[bad_field]", tributary("wallet", "grant", "--store", person, stranger, status=1).errors)
        self.assertEqual(self.run_it("wallet", "given", "--store", person), {"permissions": []})
        granted = self.run_it("wallet", "grant", "--store", person, guid)
        for url in ("steps://?apppermissionshared=false", "steps://"):
            self.assertEqual(self.run_it("dapp", "open", "--store", app, url)["state"], "granted")
        self.assertTrue(granted["permissionId"])


class LegacyOff(Permitting):
    def test_the_documents_form_is_refused_and_version_2_is_not(self):
        owner = self.wallet()
        app = self.app(owner)
        owner.grant(app)
        for body, path in (
                (app.signed("/csi/fetchPublicClaims", 1, desiredCsiGuid=app.guid), "/csi/fetchPublicClaims"),
                (owner.signed("/permission/writePermission", 1, permission=permission([app])), "/permission/writePermission"),
                (owner.signed("/permission/deletePermission", 1, permissionedGuidBeingDeleted=app.guid),
                 "/permission/deletePermission"),
                (app.signed("/permission/fetchPermissionsGivenByMe", 1), "/permission/fetchPermissionsGivenByMe"),
                (app.signed("/permission/fetchPermissionsGivenToMe", 1), "/permission/fetchPermissionsGivenToMe"),
                (Csi(self.server, version=1).registration(), "/csi/requestCsiRegistration")):
            self.refused(post(self.server, path, body), 403, "legacy_off")
        self.refused(app.auth("patient/Patient.read"), 403, "legacy_off")
        self.refused(app.access("code"), 403, "legacy_off")
        self.assertEqual(len(app.received()), 1, "nothing ended")
        self.assertEqual(app.call("/permission/fetchPermissionsGivenToMe").status, 200)


if __name__ == "__main__":
    unittest.main()
