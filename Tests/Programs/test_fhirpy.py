"""fhirpy (PyPI), waiting and not: what it creates, finds, pages through, changes and deletes."""

import asyncio
import unittest

from programs import Program, needs

CODE = {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]}
MRN = "urn:example:mrn"


def pulse(value, patient):
    return {"status": "final", "code": CODE, "subject": {"reference": f"Patient/{patient}"}, "valueQuantity": {
        "value": value, "unit": "/min", "system": "http://unitsofmeasure.org", "code": "/min"}}


def named(mrn, family):
    return {"identifier": [{"system": MRN, "value": mrn}], "name": [{"family": family, "given": ["Ada"]}],
            "birthDate": "1971-02-03"}


@needs("fhirpy")
class Fhirpy(Program):
    packages = ("fhirpy",)

    def client(self, waiting=True):
        import fhirpy
        kind = fhirpy.SyncFHIRClient if waiting else fhirpy.AsyncFHIRClient
        return kind(self.base, authorization="Bearer " + self.token("system/*.cruds"))

    def patient(self, client, mrn, family="Lind"):
        made = client.resource("Patient", **named(mrn, family))
        made.save()
        return made

    def test_what_it_creates_is_read_updated_patched_and_deleted(self):
        from fhirpy.base.exceptions import ResourceNotFound
        client = self.client()
        patient = self.patient(client, "one")
        self.assertTrue(patient.id)
        self.assertEqual(patient["meta"]["versionId"], "1")
        read = client.reference("Patient", patient.id).to_resource()
        self.assertEqual(read.serialize(), patient.serialize())
        patient["gender"] = "female"
        patient.update()
        self.assertEqual((patient["gender"], patient["meta"]["versionId"]), ("female", "2"))
        # It sends what changes, as a merge patch that calls itself application/json.
        patient.patch(birthDate="1972-03-04", gender=None)
        self.assertNotIn("gender", patient)
        stored = self.ask("GET", f"Patient/{patient.id}").json
        self.assertEqual((stored["birthDate"], stored["meta"]["versionId"]), ("1972-03-04", "3"))
        self.assertEqual(stored["name"], named("", "Lind")["name"])
        self.ask("PUT", f"Patient/{patient.id}", {**stored, "gender": "other"})
        patient.refresh()
        self.assertEqual(patient["gender"], "other")
        unchanged = patient.serialize()
        patient.refresh()
        self.assertEqual(patient.serialize(), unchanged)
        self.assertTrue(patient.is_valid())
        patient["gender"] = "no-such-code"
        self.assertFalse(patient.is_valid())
        patient.delete()
        with self.assertRaises(ResourceNotFound):
            client.get("Patient", patient.id)
        self.assertEqual(self.ask("GET", f"Patient/{patient.id}").status, 410)

    def test_it_goes_through_all_pages_and_counts(self):
        client = self.client()
        patient, other = self.patient(client, "pages"), self.patient(client, "pages-other")
        for value in range(25):
            client.resource("Observation", **pulse(50 + value, patient.id)).save()
        client.resource("Observation", **pulse(49, other.id)).save()
        found = client.resources("Observation").search(patient=patient.to_reference()).limit(7)
        self.assertEqual(len(found.fetch()), 7)
        whole = found.fetch_all()
        self.assertEqual(sorted(row["valueQuantity"]["value"] for row in whole), list(range(50, 75)))
        self.assertEqual(len({row.id for row in whole}), 25)
        self.assertEqual(found.count(), 25)
        last = found.sort("-value-quantity").first()
        self.assertEqual(last["valueQuantity"]["value"], 74)
        some = client.resources("Observation").search(patient__Patient__identifier=f"{MRN}|pages", value_quantity__ge=70)
        self.assertEqual(some.count(), 5)
        parts = some.elements("status").fetch()
        self.assertEqual({key for row in parts for key in row} & {"valueQuantity"}, set())
        self.assertEqual(client.resources("Patient").has("Observation", "patient", value_quantity__lt=50).get().id, other.id)
        brought = some.include("Observation", "patient").fetch_raw()
        self.assertEqual({row.resource.id for row in brought.entry if row.search["mode"] == "include"}, {patient.id})

    def test_one_is_there_however_often_it_asks_to_get_or_create_it(self):
        from fhirpy.base.exceptions import MultipleResourcesFound
        client = self.client()
        wanted = client.resources("Patient").search(identifier=f"{MRN}|once")
        first, created = wanted.get_or_create(client.resource("Patient", **named("once", "Lind")))
        again, twice = wanted.get_or_create(client.resource("Patient", **named("once", "Berg")))
        self.assertEqual((created, twice, again.id, again["name"][0]["family"]), (True, False, first.id, "Lind"))
        changed, created = wanted.update(client.resource("Patient", **named("once", "Berg")))
        self.assertEqual((created, changed.id, changed["name"][0]["family"]), (False, first.id, "Berg"))
        other, created = client.resources("Patient").search(identifier=f"{MRN}|new").update(
            client.resource("Patient", **named("new", "Holm")))
        self.assertTrue(created)
        patched = wanted.patch(birthDate="1980-01-01")
        self.assertEqual((patched.id, patched["birthDate"]), (first.id, "1980-01-01"))
        self.patient(client, "once")
        for action in (wanted.get, lambda: wanted.get_or_create(client.resource("Patient", **named("once", "Lind"))),
                       wanted.delete):
            with self.assertRaises(MultipleResourcesFound):
                action()
        answer, status = client.resources("Patient").search(identifier=f"{MRN}|new").delete()
        self.assertEqual((answer, status), (None, 204))
        self.assertEqual(self.ask("GET", f"Patient/{other.id}").status, 410)

    def test_refusals_are_its_own_exceptions(self):
        import fhirpy
        from fhirpy.base.exceptions import AuthorizationError, ForbiddenError, OperationOutcome, ResourceNotFound
        client = self.client()
        with self.assertRaises(OperationOutcome) as refused:
            client.resource("Patient", gender="no-such-code").save()
        self.assertEqual(refused.exception.resource["resourceType"], "OperationOutcome")
        with self.assertRaises(ResourceNotFound):
            client.get("Patient", "nobody")
        with self.assertRaises(AuthorizationError):
            fhirpy.SyncFHIRClient(self.base, authorization="Bearer wrong").resources("Patient").fetch()
        with self.assertRaises(ForbiddenError):
            fhirpy.SyncFHIRClient(self.base, authorization="Bearer " + self.token("system/Patient.rs")).resource(
                "Patient", **named("no", "Lind")).save()

    def test_the_client_that_does_not_wait(self):
        client = self.client(waiting=False)

        async def act():
            patient = client.resource("Patient", **named("async", "Lind"))
            await patient.save()
            await asyncio.gather(*(client.resource("Observation", **pulse(60 + n, patient.id)).save() for n in range(12)))
            found = client.resources("Observation").search(patient=patient.id).limit(5)
            values = sorted([row["valueQuantity"]["value"] async for row in found])
            count = await found.count()
            await patient.patch(gender="male")
            again, created = await client.resources("Patient").search(identifier=f"{MRN}|async").get_or_create(
                client.resource("Patient", **named("async", "Berg")))
            for row in await found.fetch_all():
                await row.delete()
            left = await found.count()
            await patient.delete()
            return values, count, again["gender"], created, left

        self.assertEqual(asyncio.run(act()), (list(range(60, 72)), 12, "male", False, 0))


if __name__ == "__main__":
    unittest.main()
