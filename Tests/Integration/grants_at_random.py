"""Grants at random: scopes with and without searches, ceilings, sensitivities, some patients or all; made by the study team, or given
to an app by a practitioner, who names a patient, or by a participant."""

from interfering_records import PATIENTS
from visible_records import Grant

PERMISSIONS = ["rs", "rs", "rs", "cruds", "cruds", "r", "s", "cud", "rus", "crs", "ds", "cru"]
TYPES = ["Patient", "Observation", "Observation", "Condition", "Encounter", "Organization", "Practitioner", "Appointment",
         "Group", "DiagnosticReport", "MedicationRequest", "Medication", "Device", "Task", "Location", "Library", "Provenance"]
QUERIES = {"Observation": ["code=8867-4", "code=http://loinc.org|8480-6", "status=final", "category=laboratory",
                           "date=ge2026-03-01", "_tag=urn:t|a", "status=final&code=718-7"],
           "Condition": ["code=urn:c|c1", "clinical-status=active", "_tag=b"], "*": ["_tag=urn:t|a", "_tag=b", "status=final"]}


def grant(random):
    way = random.choices(["team", "practitioner", "participant"], [6, 3, 1])[0]
    if way == "practitioner":
        return Grant(scopes(random, ["patient", "patient", "user"]) + " launch/patient", None, random.choice(PATIENTS), way)
    if way == "participant":
        own = random.choice(PATIENTS)
        return Grant(scopes(random, ["patient", "user"]), {own}, own, way)
    patients = None if random.random() < 0.2 else set(random.sample(PATIENTS, random.choice([1, 1, 2, 3, 4])))
    contexts = ["user", "system"] if patients is None else ["patient", "patient", "user", "system"]
    return Grant(scopes(random, contexts), patients)


def scopes(random, contexts):
    def scope(kind, permissions):
        query = ""
        if kind in QUERIES and random.random() < (0.15 if kind == "*" else 0.4):
            query = "?" + random.choice(QUERIES[kind])
        return f"{random.choice(contexts)}/{kind}.{permissions}{query}"

    found = []
    if random.random() < 0.7:
        found.append(scope("*", random.choice(["rs", "rs", "cruds", "cruds", "rs", "r", "s"])))
    found += [scope(random.choice(TYPES), random.choice(PERMISSIONS)) for _ in range(random.randrange(0 if found else 3, 7))]
    found += [f"conf/{random.choice('NRVMU')}"] if random.random() < 0.5 else []
    found += random.choices([[], ["sens/*"], ["sens/ETH"], ["sens/SPI", "sens/SOC"], ["sens/SUD"], ["sens/HIV", "sens/PSY"]],
                             [4, 3, 2, 1, 1, 1])[0]
    return " ".join(dict.fromkeys(found))
