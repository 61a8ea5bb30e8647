"""Profiles as Python dicts: with a differential alone, or with the snapshot that it gives."""

import copy
import json
import tarfile

from r4_places import STRUCTURE

ADDRESS = "http://example.org/StructureDefinition/"


def profile(name, type_, *elements, base=None, **members):
    """A StructureDefinition with a differential; each element is (id, members)."""
    return {
        "resourceType": "StructureDefinition",
        "id": name,
        "url": ADDRESS + name,
        "name": name.replace("-", "_"),
        "status": "active",
        "fhirVersion": "4.0.1",
        "kind": "resource",
        "abstract": False,
        "type": type_,
        "baseDefinition": base or STRUCTURE + type_,
        "derivation": "constraint",
        "differential": {"element": [{"id": type_, "path": type_}, *(element(*given) for given in elements)]},
        **members,
    }


def element(id_, members):
    path = ".".join(step.split(":")[0] for step in id_.split("."))
    slice_ = id_.rsplit(".", 1)[-1].partition(":")[2]
    return {"id": id_, "path": path, **({"sliceName": slice_} if slice_ else {}), **members}


def structure(archive, name):
    """HL7's StructureDefinition of that name."""
    with tarfile.open(archive) as tar:
        member = next(m for m in tar if m.name.endswith(f"/definitions/StructureDefinition-{name}.json"))
        return json.load(tar.extractfile(member))


def with_snapshot(derived, base, types):
    """The same profile with its snapshot. `types(code)` gives the StructureDefinition of a data type."""
    snapshot = copy.deepcopy(base["snapshot"]["element"])
    for change in derived["differential"]["element"]:
        _apply(snapshot, change, types)
    return {**derived, "snapshot": {"element": snapshot}}


def _apply(snapshot, change, types):
    at = _index(snapshot, change["id"])
    if at is None:
        parent, _, last = change["id"].rpartition(".")
        if ":" in last:
            plain = f"{parent}.{last.split(':')[0]}"
            sliced = _index(snapshot, plain)
            made = {key: value for key, value in snapshot[sliced].items() if key != "slicing"}
            at = sliced + 1
            while at < len(snapshot) and snapshot[at]["id"].startswith((plain + ".", plain + ":")):
                at += 1
            snapshot.insert(at, dict(made, id=change["id"], min=0))
        else:
            if _index(snapshot, parent) is None:
                _apply(snapshot, element(parent, {}), types)
            above = _index(snapshot, parent)
            plain = snapshot[above]["path"]
            inside = [e for e in snapshot if e["id"].startswith(plain + ".") and ":" not in e["id"]]
            if not inside:
                code = snapshot[above]["type"][0]["code"]
                inside = types(code)["snapshot"]["element"][1:]
                plain = code
            below = [
                dict(
                    copy.deepcopy(e),
                    id=parent + e["id"][len(plain) :],
                    path=snapshot[above]["path"] + e["path"][len(plain) :],
                )
                for e in inside
            ]
            snapshot[above + 1 : above + 1] = below
            at = _index(snapshot, change["id"])
    snapshot[at] = {**snapshot[at], **change}
    if "constraint" in change:
        snapshot[at]["constraint"] = change["constraint"]


def _index(snapshot, id_):
    return next((number for number, e in enumerate(snapshot) if e["id"] == id_), None)
