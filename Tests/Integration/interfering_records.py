"""Records of many types that refer to each other and belong to several patients, with their pasts: what a grant for some of
them must not learn of the others."""

from visible_records import CONFIDENTIALITY, OWN_SENSITIVITY, SENSITIVITY, Past

PATIENTS = [f"p{number}" for number in range(1, 8)]
CODES = ["8867-4", "8480-6", "718-7"]
WORDS = ["Ash", "Birch", "Cedar", "Ashwood"]
DAYS = ["2026-01-15", "2026-02-10", "2026-03-05", "2026-03-05T10:00:00Z", "2026-04-20T08:30:00+02:00"]
TAGS = ["a", "b"]
# How many of each type there are at first.
COUNTS = {"Organization": 8, "Practitioner": 6, "PractitionerRole": 4, "Location": 6, "Device": 10, "Medication": 5,
          "ResearchStudy": 3, "Library": 4, "DeviceDefinition": 2, "Encounter": 22, "Observation": 80, "Condition": 30,
          "MedicationRequest": 18, "DiagnosticReport": 16, "Appointment": 12, "Group": 7, "Provenance": 10, "Task": 12,
          "Procedure": 12, "Coverage": 8, "Communication": 8, "RelatedPerson": 7, "Basic": 6, "Person": 4, "List": 8,
          "AllergyIntolerance": 8, "DocumentReference": 8}


class Records:
    """Steps of writes, each a transaction; and the pasts that they leave."""

    def __init__(self, random):
        self.random, self.pasts, self.steps, self.made = random, {}, [], 0
        first = [("Patient", name) for name in PATIENTS]
        first += [(kind, f"{kind.lower()}-{number}") for kind, count in COUNTS.items() for number in range(count)]
        self.names = {}
        for kind, name in first:
            self.names.setdefault(kind, []).append(name)
        self._step([(kind, name, False) for kind, name in first])
        keys = list(self.pasts)
        self._step([(*key, False) for key in random.sample(keys, len(keys) // 3)])
        self._step([(*key, random.random() < 0.35) for key in random.sample(keys, len(keys) // 4)])
        self._step([(*key, random.random() < 0.25) for key in random.sample(keys, len(keys) // 4)])

    def _step(self, writes):
        done = []
        for kind, name, deletes in writes:
            past = self.pasts.setdefault((kind, name), Past())
            if deletes and past.versions and not past.is_deleted:
                resource = None
            else:
                resource = self.resource(kind, name)
            past.versions.append(resource)
            done.append((kind, name, len(past.versions)))
        self.steps.append(done)

    # Values

    def some(self, *values):
        return self.random.choice(values)

    def chance(self, share):
        return self.random.random() < share

    def to(self, *kinds):
        kind = self.random.choice(kinds)
        return {"reference": f"{kind}/{self.random.choice(self.names[kind])}"}

    def patient(self):
        """A reference to a patient, mostly in its plain form."""
        name = self.random.choice(PATIENTS)
        form = self.random.choices(["Patient/{}", "Patient/{}/_history/1", "https://elsewhere.example/fhir/Patient/{}"],
                                   [16, 1, 1])[0]
        return {"reference": form.format(name)}

    def concept(self, system, *codes):
        return {"coding": [{"system": system, "code": self.random.choice(codes)}]}

    def labels(self):
        found = []
        if self.chance(0.25):
            found.append({"system": CONFIDENTIALITY, "code": self.some("U", "L", "M", "N", "R", "R", "V")})
        if self.chance(0.2):
            found.append({"system": SENSITIVITY, "code": self.some("ETH", "SUD", "ETHUD", "OPIOIDUD", "HIV", "PSY", "SPI", "MH")})
        if self.chance(0.05):
            found.append({"system": OWN_SENSITIVITY, "code": "SOC"})
        if self.chance(0.04):
            found.append(self.some({"system": SENSITIVITY, "code": "NOPE"}, {"system": "urn:other", "code": "HIV"},
                                   {"system": SENSITIVITY, "code": "SOC"}))
        return found

    def labelled(self, resource, share=1.0):
        meta = {}
        if self.chance(share) and (labels := self.labels()):
            meta["security"] = labels
        if self.chance(0.5):
            meta["tag"] = [{"system": "urn:t", "code": self.some(*TAGS)}]
        if meta:
            resource["meta"] = meta
        if self.chance(0.06) and (labels := self.labels()):
            resource["contained"] = [{"resourceType": "Basic", "id": "inner", "meta": {"security": labels},
                                      "code": {"text": "inner"}}]
            resource["extension"] = [{"url": "urn:inner", "valueReference": {"reference": "#inner"}}]
        return resource

    def resource(self, kind, name=None, patient=None):
        """A resource; its identifier is of few, so that conditions find some, and each version differs."""
        self.made += 1
        made = {"resourceType": kind}
        if name:
            made["id"] = name
        made |= getattr(self, "_" + kind.lower())(patient or self.patient())
        made["language"] = self.some("de", "fr", "en")
        made.setdefault("extension", []).append({"url": "urn:count", "valueInteger": self.made})
        if kind not in ("Provenance", "Library"):
            one = {"system": "urn:i", "value": f"n{self.random.randrange(60)}"}
            made["identifier"] = one if kind in ("Bundle", "Composition", "QuestionnaireResponse") else [one]
        # Patients, and what is shared, are mostly seen.
        return self.labelled(made, 0.3 if kind in ("Patient", "Organization", "Practitioner") else 1)

    # Types

    def _patient(self, _):
        made = {"name": [{"family": self.some(*WORDS)}], "gender": self.some("male", "female"),
                "birthDate": self.some("1970-05-01", "1980-06-02", "1990")}
        if self.chance(0.7):
            made["generalPractitioner"] = [self.to("Practitioner", "Organization")]
        if self.chance(0.5):
            made["managingOrganization"] = self.to("Organization")
        if self.chance(0.3):
            made["link"] = [{"other": self.to("Patient"), "type": "seealso"}]
        return made

    def _organization(self, _):
        made = {"name": self.some(*WORDS), "active": self.some(True, False)}
        return made | ({"partOf": self.to("Organization")} if self.chance(0.5) else {})

    def _practitioner(self, _):
        return {"name": [{"family": self.some(*WORDS)}], "gender": self.some("male", "female")}

    def _practitionerrole(self, _):
        return {"practitioner": self.to("Practitioner"), "organization": self.to("Organization"),
                "location": [self.to("Location")]}

    def _location(self, _):
        made = {"name": self.some(*WORDS), "status": "active", "managingOrganization": self.to("Organization")}
        return made | ({"partOf": self.to("Location")} if self.chance(0.3) else {})

    def _device(self, patient):
        made = {"status": "active", "type": self.concept("urn:d", "x", "y"), "owner": self.to("Organization")}
        return made | ({"patient": patient} if self.chance(0.6) else {})

    def _medication(self, _):
        return {"code": self.concept("urn:m", "x", "y"), "manufacturer": self.to("Organization")}

    def _researchstudy(self, _):
        return {"status": "active", "title": self.some(*WORDS), "sponsor": self.to("Organization")}

    def _library(self, _):
        return {"url": f"urn:library:{self.random.randrange(5)}", "status": "active", "title": self.some(*WORDS),
                "type": self.concept("http://terminology.hl7.org/CodeSystem/library-type", "logic-library")}

    def _devicedefinition(self, _):
        return {"url": "https://device.example", "type": self.concept("urn:d", "x", "y")}

    def _encounter(self, patient):
        made = {"status": self.some("planned", "finished"), "class": {
            "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": self.some("AMB", "IMP")},
            "period": {"start": self.some(*DAYS)}, "location": [{"location": self.to("Location")}],
            "participant": [{"individual": self.to("Practitioner")}], "serviceProvider": self.to("Organization")}
        made |= {"subject": patient} if self.chance(0.9) else {}
        return made | ({"partOf": self.to("Encounter")} if self.chance(0.3) else {})

    def _observation(self, patient):
        made = {"status": self.some("final", "preliminary"), "code": self.concept("http://loinc.org", *CODES),
                "category": [self.concept("http://terminology.hl7.org/CodeSystem/observation-category", "laboratory", "vital-signs")],
                "valueQuantity": {"value": self.random.randrange(50, 90), "unit": "/min",
                                  "system": "http://unitsofmeasure.org", "code": "/min"}}
        if self.chance(0.85):
            made["effectiveDateTime"] = self.some(*DAYS)
        if self.chance(0.9):
            made["subject"] = patient
        if self.chance(0.5):
            made["encounter"] = self.to("Encounter")
        if self.chance(0.5):
            made["performer"] = [self.to("Practitioner", "Organization", "Practitioner", "Patient")]
        if self.chance(0.3):
            made["hasMember"] = [self.to("Observation") for _ in range(self.some(1, 2))]
        if self.chance(0.2):
            made["component"] = [{"code": self.concept("http://loinc.org", *CODES),
                                  "valueQuantity": {"value": self.random.randrange(50, 90)}}]
        return made

    def _condition(self, patient):
        made = {"subject": patient, "code": self.concept("urn:c", "c1", "c2", "c3"), "clinicalStatus": self.concept(
            "http://terminology.hl7.org/CodeSystem/condition-clinical", "active", "recurrence"),
            "onsetDateTime": self.some(*DAYS)}
        made |= {"encounter": self.to("Encounter")} if self.chance(0.5) else {}
        return made | ({"evidence": [{"detail": [self.to("Observation")]}]} if self.chance(0.4) else {})

    def _medicationrequest(self, patient):
        return {"status": "active", "intent": "order", "subject": patient, "medicationReference": self.to("Medication"),
                "requester": self.to("Practitioner", "Patient", "Organization"), "authoredOn": self.some(*DAYS)}

    def _diagnosticreport(self, patient):
        return {"status": "final", "code": self.concept("http://loinc.org", *CODES), "subject": patient,
                "result": [self.to("Observation") for _ in range(2)], "performer": [self.to("Organization")],
                "effectiveDateTime": self.some(*DAYS)}

    def _appointment(self, patient):
        actors = [patient, self.to("Practitioner"), *([self.patient()] if self.chance(0.4) else [])]
        return {"status": "proposed", "participant": [{"actor": actor, "status": "accepted"} for actor in actors]}

    def _group(self, patient):
        members = [patient, *(self.patient() for _ in range(self.random.randrange(3)))]
        return {"type": "person", "actual": True, "name": self.some(*WORDS), "member": [{"entity": one} for one in members]}

    def _provenance(self, patient):
        target = [patient] if self.chance(0.7) else []
        return {"target": [*target, self.to("Observation")], "recorded": "2026-03-05T10:00:00Z",
                "agent": [{"who": self.to("Practitioner")}]}

    def _task(self, patient):
        made = {"status": "requested", "intent": "order", "focus": self.to("MedicationRequest", "Observation"),
                "owner": self.to("Practitioner")}
        return made | ({"for": patient} if self.chance(0.7) else {})

    def _procedure(self, patient):
        return {"status": "completed", "subject": patient, "code": self.concept("urn:pr", "x", "y"),
                "performer": [{"actor": self.to("Practitioner", "Patient")}], "reasonReference": [self.to("Condition")]}

    def _coverage(self, patient):
        return {"status": "active", "beneficiary": patient, "payor": [self.to("Organization", "Patient")],
                "subscriber": self.patient()}

    def _communication(self, patient):
        return {"status": "completed", "subject": patient, "sender": self.to("Practitioner", "Patient"),
                "recipient": [self.to("Practitioner", "Patient")], "about": [self.to("Observation")]}

    def _relatedperson(self, patient):
        return {"patient": patient, "name": [{"family": self.some(*WORDS)}]}

    def _basic(self, patient):
        made = {"code": self.concept("urn:b", "x", "y")}
        made |= {"subject": patient} if self.chance(0.6) else {}
        return made | ({"author": self.to("Patient", "Practitioner")} if self.chance(0.5) else {})

    def _person(self, patient):
        return {"name": [{"family": self.some(*WORDS)}], "link": [{"target": patient}, {"target": self.to("Practitioner")}]}

    def _list(self, patient):
        made = {"status": "current", "mode": "working", "entry": [{"item": self.to("Condition", "Observation")}]}
        made |= {"subject": patient} if self.chance(0.7) else {}
        return made | ({"source": self.to("Patient", "Practitioner")} if self.chance(0.4) else {})

    def _allergyintolerance(self, patient):
        return {"patient": patient, "code": self.concept("urn:al", "x", "y"), "recorder": self.to("Practitioner", "Patient")}

    def _documentreference(self, patient):
        return {"status": "current", "subject": patient, "author": [self.to("Practitioner", "Patient")],
                "content": [{"attachment": {"contentType": "text/plain"}}]}
