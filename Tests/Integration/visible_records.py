"""Whom a grant shows what, worked out again from the published definitions and the resources alone, without the server."""

import json
import re
import tarfile
import urllib.parse

from harness import CONFORMANCE

CONFIDENTIALITY = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
SENSITIVITY = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
OWN_SENSITIVITY = "urn:tributary:sensitivity"
RANKS = {code: rank for rank, code in enumerate("ULMNRV")}
SHARED = {"Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService", "Endpoint", "Medication",
          "Substance", "ResearchStudy", "Device"}
TO_A_PATIENT = re.compile(r"^(?:(.+)/)?Patient/([A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?$")


class Definitions:
    """What HL7 publishes of R4, as far as it decides who sees a record."""

    def __init__(self):
        parameters, self.canonical, self.compartment, self.covered = {}, set(), {}, {}
        with tarfile.open(CONFORMANCE / "fhir-r4.tar.xz") as archive:
            for member in archive:
                folder, _, name = member.name.removeprefix("fhir-r4/").partition("/")
                wanted = name.startswith(("SearchParameter-", "StructureDefinition-", "CompartmentDefinition-patient",
                                          "CodeSystem-v3-ActCode"))
                if folder == "definitions" and wanted:
                    self._take(json.load(archive.extractfile(member)), parameters)
        self.parameters = parameters

    def _take(self, definition, parameters):
        kind = definition["resourceType"]
        if kind == "SearchParameter":
            for base in definition.get("base", []):
                parameters[base, definition["code"]] = definition.get("expression", "")
        elif kind == "CompartmentDefinition":
            self.compartment = {row["code"]: row["param"] for row in definition["resource"] if row.get("param")}
        elif kind == "CodeSystem":
            self._take_codes(definition["concept"], [], False)
            for code in ("SUD", "ETHUD", "OPIOIDUD"):
                self.covered["ETH"].add(code)
        elif definition["kind"] == "resource" and definition.get("derivation") == "specialization":
            # A DeviceDefinition's `url` is an address on a network, and no name of a definition.
            name = definition["type"]
            url = next((row for row in definition["snapshot"]["element"] if row["path"] == name + ".url"), None)
            if url and url["type"][0]["code"] == "uri" and name != "DeviceDefinition":
                self.canonical.add(name)

    def _take_codes(self, concepts, above, within):
        for concept in concepts:
            code = concept["code"]
            if within:
                for name in [*above, code]:
                    self.covered.setdefault(name, set()).add(code)
            inside = within or code == "_InformationSensitivityPolicy"
            self._take_codes(concept.get("concept", []), [*above, code] if within else [], inside)

    def owners(self, resource):
        """The patients that a resource belongs to: the ids of those of this server, the addresses of those of others."""
        kind = resource["resourceType"]
        if kind == "Patient":
            return {resource["id"]}
        # Outside of the compartment those count that `subject` and `patient` name, such as whom a Task is for.
        codes = {"Contract": ["subject", "signer"]}.get(kind) or self.compartment.get(kind) or ["subject", "patient"]
        found = set()
        for code in codes:
            for part in self.parameters.get((kind, code), "").split("|"):
                part = part.strip().removesuffix(".where(resolve() is Patient)")
                names = part.split(".")
                assert not part or all(name.isalpha() for name in names), part
                if names[0] == kind:
                    found |= {f"{match[1]}/Patient/{match[2]}" if match[1] else match[2]
                              for match in map(TO_A_PATIENT.search, references(resource, names[1:])) if match}
        return found

    def is_shared(self, kind):
        return kind in SHARED or kind in self.canonical

    def labels(self, resource):
        """The rank of the confidentiality, and the sensitivities; None among them is a label that is not understood."""
        ranks, sensitivities = [], set()
        for part in [resource, *resource.get("contained", [])]:
            for coding in part.get("meta", {}).get("security", []):
                system, code = coding.get("system"), coding.get("code")
                if system == CONFIDENTIALITY and code in RANKS:
                    ranks.append(RANKS[code])
                elif system == SENSITIVITY and code in self.covered or (system, code) == (OWN_SENSITIVITY, "SOC"):
                    sensitivities.add(code)
                else:
                    sensitivities.add(None)
        return max(ranks, default=RANKS["N"]), sensitivities


def references(value, names):
    """The texts of the references at a path."""
    if isinstance(value, list):
        return [text for item in value for text in references(item, names)]
    if not isinstance(value, dict):
        return []
    if not names:
        return [value["reference"]] if isinstance(value.get("reference"), str) else []
    return references(value.get(names[0]), names[1:])


def at(value, *names):
    """The values at a path of names."""
    for name in names:
        inner = [item.get(name) for item in value]
        value = [each for item in inner if item is not None for each in (item if isinstance(item, list) else [item])]
    return value


def codings(resource, *names):
    return [(coding.get("system"), coding.get("code")) for coding in at([resource], *names)]


# What the searches in scopes mean: for a type and a parameter, the codings or the times in a resource.
SCOPE_TOKENS = {
    ("Observation", "code"): ("code", "coding"), ("Condition", "code"): ("code", "coding"),
    ("Condition", "clinical-status"): ("clinicalStatus", "coding"), ("Observation", "category"): ("category", "coding"),
}


def meets(resource, query, parameters):
    """Whether a resource meets the search of a scope."""
    for name, value in urllib.parse.parse_qsl(query):
        kind = resource["resourceType"]
        if name == "_tag":
            found = codings(resource, "meta", "tag")
        elif (kind, name) in SCOPE_TOKENS:
            found = codings(resource, *SCOPE_TOKENS[kind, name])
        elif name == "status" and (kind, name) in parameters:
            found = [(None, resource.get("status"))]
        elif (kind, name) == ("Observation", "date") and value.startswith("ge"):
            if not any(moment >= value[2:] for moment in at([resource], "effectiveDateTime")):
                return False
            continue
        else:
            return False
        system, bar, code = value.rpartition("|")
        if not any(each[1] == code and (not bar or each[0] == system) for each in found):
            return False
    return True


class Grant:
    """A grant as it is asked for: scopes, patients (None for all), and the one in context, whom alone `patient/` reaches; and the
    role of the person who gives it to an app, or none where the study team makes it."""

    def __init__(self, scope, patients, context=None, role=None):
        self.scope, self.patients, self.context, self.role = scope, patients, context, role
        self.ceiling, self.sensitivities, self.resources = -1, set(), []
        for word in scope.split():
            context, _, rest = word.partition("/")
            if not rest or context == "launch":
                continue
            if context == "conf":
                self.ceiling = max(self.ceiling, RANKS[rest])
            elif context == "sens":
                self.sensitivities.add(rest)
            else:
                name, _, query = rest.partition("?")
                kind, _, permissions = name.rpartition(".")
                reached = {self.context} if context == "patient" and self.context else self.patients
                self.resources.append((kind, permissions, query, reached))
        self.ceiling = RANKS["N"] if self.ceiling < 0 else self.ceiling

    def may(self, kind, permission):
        return any(name in ("*", kind) and permission in permissions for name, permissions, _, _ in self.resources)

    def shows(self, resource, permissions, definitions, is_deleted=False):
        """Whether it shows a version, by any of some permissions. What is deleted meets no search of a scope."""
        rank, sensitivities = definitions.labels(resource)
        if rank > self.ceiling:
            return False
        if "*" not in self.sensitivities:
            covered = set().union(*({code} if code == "SOC" else definitions.covered.get(code, set())
                                    for code in self.sensitivities))
            if not sensitivities <= covered:
                return False
        kind, owners = resource["resourceType"], definitions.owners(resource)
        is_shared = not owners and definitions.is_shared(kind)
        return any(name in ("*", kind) and set(letters) & set(permissions)
                   and (reached is None or is_shared or owners and owners <= reached)
                   and (not query or not is_deleted and meets(resource, query, definitions.parameters))
                   for name, letters, query, reached in self.resources)


class Past:
    """The versions of one record, oldest first; None is a deletion."""

    def __init__(self):
        self.versions = []

    @property
    def newest(self):
        """The newest content, which decides also where the record is deleted."""
        return next(version for version in reversed(self.versions) if version is not None)

    @property
    def is_deleted(self):
        return self.versions[-1] is None

    def visible(self, grant, permissions, definitions):
        """The numbers of the versions that are seen; a deletion is seen by who sees what it deleted."""
        if not grant.shows(self.newest, permissions, definitions, self.is_deleted):
            return []
        found, content = [], None
        for number, version in enumerate(self.versions, 1):
            content = version or content
            if grant.shows(content, permissions, definitions):
                found.append(number)
        return found
