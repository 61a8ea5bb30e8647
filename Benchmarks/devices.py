"""Devices that send sealed submissions at an even pace, and the time until each acknowledgement."""

import base64
import json
import threading
import time
import uuid
from http.client import HTTPException

import harness
import sealed

DEVICES = 20
# The delay before a submission that was not accepted is sent again.
AGAIN = 0.2


def numbered_envelopes(study, count):
    """One sealed envelope under each of the submission ids. The receiver sees no difference, because it opens
    no envelope."""
    envelope = json.loads(sealed.seal(study, {"resourceType": "Observation", "status": "final", "note": [
        {"text": "x" * 600}]}))
    padded = envelope["protected"] + "=" * (-len(envelope["protected"]) % 4)
    header = json.loads(base64.urlsafe_b64decode(padded))
    for number in range(count):
        header.update(sid=str(uuid.uuid4()), seq=number + 1)
        text = base64.urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip("=")
        yield header["sid"], json.dumps({**envelope, "protected": text}).encode()


class Devices:
    """Devices of a study, each with its own token. `pause` is the time between two submissions of one."""

    def __init__(self, study, server, pause, seconds, rounds):
        self.clients = [sealed.SealedClient(server, study) for _ in range(DEVICES)]
        self.pause, self.seconds = pause, seconds
        self.bodies = list(numbered_envelopes(study, int(DEVICES * rounds * (seconds / pause + 2))))
        self.sent = 0

    def percentile99(self):
        """The 99th percentile of the seconds until a submission is acknowledged, with retries and their delays, and the
        number of sent submissions."""
        times = []
        end = time.monotonic() + self.seconds
        threads = [threading.Thread(target=self._send, args=(client, end, times)) for client in self.clients]
        for thread in threads:
            thread.start()
            time.sleep(self.pause / DEVICES)
        for thread in threads:
            thread.join()
        self.sent += len(times)
        return sorted(times)[int(len(times) * 0.99)], len(times)

    def _send(self, client, end, times):
        while time.monotonic() < end:
            sid, body = self.bodies.pop()
            begin = time.perf_counter()
            while not self._acknowledged(client, sid, body):
                time.sleep(AGAIN)
            times.append(time.perf_counter() - begin)
            time.sleep(self.pause)

    @staticmethod
    def _acknowledged(client, sid, body):
        headers = {**client.headers, "Tributary-Submission": sid}
        try:
            answer = harness.http("POST", client.server.url + "/encfhir", headers, body, timeout=30)
        except (OSError, HTTPException):
            return False
        return answer.status == 200 and answer.json == {"status": "received", "submission": sid}
