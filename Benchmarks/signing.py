"""Signed calls of apps against the receiver's durable POST, on one connection each."""

import json
import statistics
import time

from measuring import RUNS, quotient  # noqa: I001  (it adds the folder of the next ones)

import fhirblocks
import harness
import sealed
from devices import numbered_envelopes
from people import Caller

CALLS = 200
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}
NAMES = (*fhirblocks.RATES, "submission-by-client", "registration-by-address")


def calls(_work):
    """A signed call of version 2, whose nonce and audit row are durable, against a POST of an envelope. Requests are signed
    before they are timed."""
    study = harness.Study(forms=False, url="", change=lambda value: value.setdefault("limits", {}).update(
        rates={name: UNLIMITED for name in NAMES}))
    try:
        server = study.serve()
        csi = fhirblocks.Csi(server).register()
        caller = Caller(server.port, "")
        caller.headers = {"Content-Type": "application/json", "Accept": "application/json"}
        client = sealed.SealedClient(server, study)
        device = Caller(server.port, "")
        device.headers = dict(client.headers)
        envelopes = [body for _, body in numbered_envelopes(study, CALLS * RUNS)]
        path = "/permission/fetchPermissionsGivenToMe"
        ours, theirs = [], []
        for run in range(RUNS):
            signed = [json.dumps(csi.signed(path)) for _ in range(CALLS)]
            begin = time.perf_counter()
            for body in signed:
                caller.ask("POST", path, body)
            ours.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            for body in envelopes[run * CALLS:(run + 1) * CALLS]:
                device.ask("POST", "/encfhir", body)
            theirs.append(time.perf_counter() - begin)
        server.stop()
        return {**quotient(ours, theirs), "perSecond": round(CALLS / statistics.median(ours)),
                "milliseconds": [round(statistics.median(one) / CALLS * 1000, 3) for one in (ours, theirs)]}
    finally:
        study.close()
