"""Grants at random: scopes with and without searches, ceilings, sensitivities, some patients or all."""

from interfering_records import PATIENTS
from visible_records import Grant

PERMISSIONS = ["rs", "rs", "rs", "cruds", "cruds", "r", "s", "cud", "rus", "crs", "ds", "cru"]
TYPES = ["Patient", "Observation", "Observation", "Condition", "Encounter", "Organization", "Practitioner", "Appointment",
         "Group", "DiagnosticReport", "MedicationRequest", "Medication", "Device", "Task", "Location", "Library", "Provenance"]
QUERIES = {"Observation": ["code=8867-4", "code=http://loinc.org|8480-6", "status=final", "category=laboratory",
                           "date=ge2026-03-01", "_tag=urn:t|a", "status=final&code=718-7"],
           "Condition": ["code=urn:c|c1", "clinical-status=active", "_tag=b"], "*": ["_tag=urn:t|a", "_tag=b", "status=final"]}


def grant(random):
    patients = None if random.random() < 0.2 else set(random.sample(PATIENTS, random.choice([1, 1, 2, 3, 4])))
    contexts = ["user", "system"] if patients is None else ["patient", "patient", "user", "system"]

    def scope(kind, permissions):
        query = ""
        if kind in QUERIES and random.random() < (0.15 if kind == "*" else 0.4):
            query = "?" + random.choice(QUERIES[kind])
        return f"{random.choice(contexts)}/{kind}.{permissions}{query}"

    scopes = []
    if random.random() < 0.7:
        scopes.append(scope("*", random.choice(["rs", "rs", "cruds", "cruds", "rs", "r", "s"])))
    scopes += [scope(random.choice(TYPES), random.choice(PERMISSIONS)) for _ in range(random.randrange(0 if scopes else 3, 7))]
    scopes += [f"conf/{random.choice('NRVMU')}"] if random.random() < 0.5 else []
    scopes += random.choices([[], ["sens/*"], ["sens/ETH"], ["sens/SPI", "sens/SOC"], ["sens/SUD"], ["sens/HIV", "sens/PSY"]],
                             [4, 3, 2, 1, 1, 1])[0]
    return Grant(" ".join(dict.fromkeys(scopes)), patients)
