"""Names and secrets that were planted are found nowhere but on the device."""

import json
import unittest
import zipfile

from forms import VISIT, visit
from harness import ANTISPAM, CONSENT_ANSWERS, SpineTest, http, tributary
from stored_contents import clear

NAMES = {
    "source": "Zephyrine-Source", "device": "Quibbledevice", "host": "Ottoline-MacBook", "metadata": "Wendelgard",
    "unknown": "Ermintraud", "url": "Kunigunde.example", "me": "1907-07-07", "ecg": "Theodelinde", "route": "Amalaswintha",
    "workout": "Radegunde", "correlation": "Brunhilde", "member": "Fredegunde", "clinical": "Adelgundis",
    "consent": "Lavinia Quillfeather", "postal": "54321-9876", "birth": "1963-11-27", "version": "Hildegardis-9.9",
    "event": "Rosamunde", "summary": "Ingeborgis",
}
N = NAMES

EXPORT = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!-- made by {N['unknown']} -->
]>
<HealthData locale="en_US">
 <ExportDate value="2026-03-01 08:00:00 +0100"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="{N['me']}" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="{N['source']}’s Apple Watch" sourceVersion="{N['version']}"
  device="&lt;&lt;HKDevice: 0x1&gt;, name:{N['device']}, manufacturer:{N['device']} Inc., model:Watch, hardware:{N['host']}, software:10.1&gt;"
  unit="count/min" creationDate="2026-02-01 08:00:00 +0100" startDate="2026-02-01 08:00:00 +0100" endDate="2026-02-01 08:00:00 +0100" value="61">
  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>
  <MetadataEntry key="HKExternalUUID" value="{N['metadata']}"/>
  <MetadataEntry key="HKDeviceName" value="{N['device']}"/>
  <MetadataEntry key="Owner of {N['unknown']}" value="{N['unknown']}"/>
  <MetadataEntry key="HKMetadataKeySyncIdentifier" value="{N['metadata']}-sync"/>
  <MetadataEntry key="link" value="https://{N['url']}/profile?id=7"/>
  <HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="61" time="8:00:00.00 {N['event']}"/></HeartRateVariabilityMetadataList>
 </Record>
 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="{N['source']} Phone" sourceVersion="17"
  creationDate="2026-02-01 08:00:00 +0100" startDate="2026-02-01 01:00:00 +0100" endDate="2026-02-01 02:00:00 +0100" value="HKCategoryValueSleepAnalysisAsleepDeep">
  <MetadataEntry key="HKTimeZone" value="Europe/{N['metadata']}"/></Record>
 <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="{N['source']}" unit="kg" creationDate="2026-02-01 08:00:00 +0100"
  startDate="2026-02-01 08:00:00 +0100" endDate="2026-02-01 08:00:00 +0100" value="70.5">
  <MetadataEntry key="HKWasUserEntered" value="1"/></Record>
 <Record type="HKQuantityTypeIdentifierNever{N['unknown']}" sourceName="{N['source']}" unit="count" creationDate="2026-02-01 08:00:00 +0100"
  startDate="2026-02-01 08:00:00 +0100" endDate="2026-02-01 08:00:00 +0100" value="7"/>
 <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="{N['correlation']}" creationDate="2026-02-02 08:00:00 +0100"
  startDate="2026-02-02 08:00:00 +0100" endDate="2026-02-02 08:00:00 +0100">
  <MetadataEntry key="Nurse" value="{N['correlation']}"/>
  <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="{N['member']}" unit="mmHg" creationDate="2026-02-02 08:00:00 +0100"
   startDate="2026-02-02 08:00:00 +0100" endDate="2026-02-02 08:00:00 +0100" value="121"/>
  <Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" sourceName="{N['member']}" unit="mmHg" creationDate="2026-02-02 08:00:00 +0100"
   startDate="2026-02-02 08:00:00 +0100" endDate="2026-02-02 08:00:00 +0100" value="79"/>
 </Correlation>
 <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="{N['workout']}"
  device="&lt;&lt;HKDevice: 0x2&gt;, name:{N['device']}&gt;" creationDate="2026-02-03 08:00:00 +0100" startDate="2026-02-03 08:00:00 +0100" endDate="2026-02-03 08:30:00 +0100">
  <MetadataEntry key="HKWorkoutBrandName" value="{N['workout']}"/>
  <WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-02-03 08:10:00 +0100"><MetadataEntry key="name" value="{N['event']}"/></WorkoutEvent>
  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="2026-02-03 08:00:00 +0100" endDate="2026-02-03 08:30:00 +0100" sum="200" unit="kcal"/>
  <WorkoutRoute sourceName="{N['route']}" creationDate="2026-02-03 08:30:00 +0100" startDate="2026-02-03 08:00:00 +0100" endDate="2026-02-03 08:30:00 +0100">
   <FileReference path="/workout-routes/{N['route']}.gpx"/></WorkoutRoute>
 </Workout>
 <ActivitySummary dateComponents="2026-02-03" activeEnergyBurned="300" activeEnergyBurnedUnit="kcal" note="{N['summary']}"/>
 <ClinicalRecord type="HKClinicalTypeIdentifierAllergyRecord" identifier="{N['clinical']}" sourceName="{N['clinical']} Hospital"
  sourceURL="https://{N['url']}/" fhirVersion="4.0.1" receivedDate="2026-02-03 08:00:00 +0100" resourceFilePath="/clinical-records/{N['clinical']}.json"/>
</HealthData>
"""


class PlantedNames(SpineTest):
    options = ("--log-level", "debug")

    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def export(self):
        path = self.study.root / "planted.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("apple_health_export/export.xml", EXPORT)
            archive.writestr("apple_health_export/electrocardiograms/ecg_2026-02-01.csv",
                             f"Name,{N['ecg']}\nDate of Birth,\"Jul 7, {N['me']}\"\nRecorded Date,2026-02-01 08:00:00 +0100\n"
                             f"Classification,Sinus Rhythm\nDevice,{N['device']}\nSample Rate,512 hertz\n\n1.5\n2.5\n")
            archive.writestr(f"apple_health_export/workout-routes/{N['route']}.gpx",
                             f"<gpx><trk><name>{N['route']}</name></trk></gpx>")
            archive.writestr(f"apple_health_export/clinical-records/{N['clinical']}.json",
                             json.dumps({"resourceType": "Patient", "name": [{"family": N["clinical"]}]}))
        return path

    def test_planted_names_and_secrets_are_found_nowhere_but_on_the_device(self):
        study, server = self.study, self.server
        device = study.device(server)
        answers = json.loads(CONSENT_ANSWERS.read_text())
        answers.update(birthDate=N["birth"], postalCode=N["postal"])
        printed = [device.consent(name=N["consent"], answers=answers)]
        printed.append(device.answer(VISIT, visit()))
        export = self.export()
        health = device.health(export)
        self.assertGreaterEqual(health.json["queued"], 5)
        output = study.root / "converted.ndjson"
        converted = tributary("health", "convert", export, "-o", output, "--json")
        sealed = {file.name: file.read_bytes() for file in device.queued()}
        self.assertGreaterEqual(len(sealed), 3)
        token = device.bearer(server)
        staff = study.staff_token()
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        enrolment = device.enrolment
        receipt = device.receipt_path.read_text().strip()

        names = [name.encode() for name in N.values()] + [part.encode() for part in N["consent"].split()]
        secrets = [ANTISPAM, enrolment["clientSecret"], token, staff, receipt[40:120]]
        secrets = [secret.encode() for secret in secrets]

        # 1. What was made of the export, and what lies sealed on the device: no name in names, headers or bytes.
        self.absent(names, "the converted observations", output.read_bytes())
        self.absent(names, "what the commands printed", *[done.out + done.err for done in printed])
        unsupported = [name.encode() for key, name in N.items() if key != "unknown"]
        self.absent(unsupported, "the account", health.out + health.err, converted.out + converted.err)
        for name, content in sealed.items():
            self.absent(names + secrets + [device.participant.encode()], f"the sealed {name}", name.encode(), content)
            self.absent(names, "its protected header", header_of(content))
        # 2. The study's folder: database, its journal, whatever else was written; and the server's log.
        for file in study.dir.rglob("*"):
            if file.is_file():
                self.absent(names + secrets, str(file.relative_to(study.dir)), clear(file.read_bytes()))
        log = server.log_path.read_bytes()
        self.assertTrue(log, "the log has something in it")
        self.absent(names + secrets, "the server's log", log)
        self.absent([b"71.5", b"noise", b"Heart", b"LOINC", device.participant.encode()], "the server's log", log)
        # 3. What the team reads, by FHIR and by SQL.
        headers = {"Authorization": "Bearer " + staff}
        for kind in ("Patient", "Contract", "QuestionnaireResponse", "Observation", "Device", "Consent", "Provenance"):
            answer = http("GET", f"{server.url}/fhir/{kind}?_count=200", headers)
            self.absent(names + secrets, f"GET /fhir/{kind}", answer.body)
        self.assertEqual(http("GET", f"{server.url}/fhir/Observation?_count=1", headers).status, 200)
        for table, in study.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
            rows = repr(study.sql(f'SELECT * FROM "{table}"')).encode()
            self.absent(names + secrets, f"the table {table}", rows)
        status = tributary("study", "status", study.dir, "--json")
        self.absent(names + secrets, "the study's status", status.out + status.err)
        # 4. It is true to what it keeps: values and product types did arrive.
        rates = study.sql("SELECT nval_num FROM observation_fact WHERE concept_cd = 'LOINC:8867-4' AND modifier_cd = '@'")
        self.assertIn((61,), rates)

    def absent(self, needles, where, *haystacks):
        for haystack in haystacks:
            lower = haystack.lower()
            for needle in needles:
                if needle.lower() in lower:
                    at = lower.index(needle.lower())
                    self.fail(f"{needle!r} stands in {where}: {haystack[max(0, at - 80):at + 80]!r}")


def header_of(envelope):
    import base64
    text = json.loads(envelope)["protected"]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


if __name__ == "__main__":
    unittest.main()
