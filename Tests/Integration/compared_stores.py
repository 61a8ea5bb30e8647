"""Two servers that should answer a grant alike: what is replayed into them, and their answers as far as they may be compared."""

import json
import re
import shutil
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import smart
from exporting_client import Export
from harness import Server, Study, http, tributary
from writing import FHIR, Writing, bundle, entry

IN_BRACES = re.compile(r"\{\{([vtn]):(.+?)(?::(\d+))?\}\}")
# A page of a search, and the pages that follow it.
PAGES = 12


def identified(value):
    """The settings of a study that holds who people are."""
    Writing.change(value)
    value["identifiedRecords"] = True
    # A contained resource with labels breaks a rule of R4, and its labels count where it is stored all the same.
    value["validation"] = "structure"


class Copy:
    """A study's folder, copied: as cheap as a store that was filled before."""

    def __init__(self, original):
        self.root = Path(tempfile.mkdtemp(prefix="tributary-"))
        self.dir, self.servers = self.root / "study", []
        shutil.copytree(original, self.dir)

    def close(self):
        for server in self.servers:
            server.kill()
        shutil.rmtree(self.root, ignore_errors=True)


def prepared():
    """A study without records, stopped, in files whatever the engine."""
    study = Study(change=identified, forms=False, url="", queue_url="")
    study.serve().stop()
    return study


def stand_ins(records, grant, seen, definitions):
    """Of the records that show, but were hidden at first, other contents that are hidden too.

    Where a record stands in the order of arrival tells that it was there before; what was in it then must not matter."""
    made = {}
    for (kind, name), numbers in seen.items():
        if numbers and numbers[0] > 1:
            others = (records.resource(kind, name) for _ in range(300))
            made[kind, name] = next((other for other in others if not grant.shows(other, "ruds", definitions)),
                                    records.pasts[kind, name].versions[0])
    return made


def later():
    """The time, with a millisecond of its own."""
    now = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 <= now + 1:
        pass
    moment = datetime.fromtimestamp((now + 1) / 1000, timezone.utc)
    time.sleep(0.002)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def replay(server, token, records, numbers, instead=None):
    """Writes the versions of some numbers, a step a transaction, and others in the place of some; returns the times after each."""
    times = []
    for step in records.steps:
        entries = []
        for kind, name, number in step:
            stand_in = (instead or {}).get((kind, name)) if number == 1 else None
            if number in numbers[kind, name] or stand_in:
                version = stand_in or records.pasts[kind, name].versions[number - 1]
                entries.append(entry("DELETE" if version is None else "PUT", f"{kind}/{name}", version))
        if entries:
            answer = http("POST", server.url + "/fhir", {"Authorization": "Bearer " + token, "Content-Type": FHIR,
                                                         "Prefer": "return=minimal"}, bundle("transaction", *entries))
            assert answer.status == 200, answer.body[:2000]
        times.append(later())
    return times


class Side:
    """One server, asked by one token."""

    def __init__(self, study, times, numbers):
        """`numbers` has the versions of each record that the grant sees, as this store counts them."""
        self.study, self.times, self.numbers = study, times, numbers
        self.server = Server(study)
        self.base = self.server.url + "/fhir"
        self.named = []

    def grant(self, grant):
        if grant.role:
            self.token = self.given(grant)
            return
        named = [word for patient in sorted(grant.patients or ()) for word in ("--patient", patient)]
        self.token = tributary("token", "create", self.study.dir, "--scope", grant.scope, *named).text.strip()

    def given(self, grant):
        """The token of an app to which a person gives all that it asks for."""
        whose = ["--patient", grant.context] if grant.role == "participant" else []
        smart.person(self.study, "anna", grant.role, *whose)
        client = smart.client(self.study, "patient/*.cruds user/*.cruds launch/patient conf/V sens/*", "--public")["client_id"]
        verifier, challenged = smart.challenge()
        browser = smart.Browser(self.server.url)
        page = browser.sign_in(browser.go(smart.request(self.server, client, grant.scope, challenged)), "anna")
        boxes = smart.Form(page.body.decode()).boxes
        more = {"patient": grant.context} if grant.role == "practitioner" else {}
        code = smart.sent_back(browser.decide(page, ticked=list(boxes), **more))["code"]
        answer = smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=code, client_id=client,
                            redirect_uri=smart.REDIRECT, code_verifier=verifier)
        assert answer.status == 200 and set(answer.json["scope"].split()) == set(grant.scope.split()), (grant.scope, answer)
        return answer.json["access_token"]

    # What is sent

    def number(self, key, place):
        """The number of a version by its place among those that are seen."""
        numbers, count = self.numbers.get(key, ((), 0))
        return numbers[place - 1] if place <= len(numbers) else count + place - len(numbers)

    def place(self, key, number):
        """The place of a version by its number here."""
        numbers, count = self.numbers.get(key, ((), 0))
        if number > count:
            return len(numbers) + number - count
        return numbers.index(number) + 1 if number in numbers else f"hidden {number}"

    def filled(self, text):
        def value(match):
            kind, name, place = match.groups()
            if kind == "t":
                return self.times[int(name)]
            if kind == "n":
                place = int(name)
                return self.named[place] if place < len(self.named) else "nowhere"
            return str(self.number(name, int(place)))

        return IN_BRACES.sub(value, text)

    def ask(self, request):
        """The answers to a request, with the pages behind it, comparable."""
        path = self.filled(request["path"])
        url = self.base + ("" if not path or path.startswith("?") else "/") + path
        headers = {name: self.filled(value) for name, value in request["headers"].items()}
        if request.get("export"):
            return self.exported(path, headers)
        body = request["body"]
        if body is not None:
            body = self.filled(body if isinstance(body, str) else json.dumps(body))
            headers["Content-Type"] = request["type"]
        answers = []
        method = request["method"]
        while url and len(answers) < PAGES:
            answer = http(method, url, {"Authorization": "Bearer " + self.token, **headers}, body)
            answers.append(self.compared(answer))
            url = next_page(answer)
            method, body = "GET", None
        return answers

    def exported(self, path, headers):
        export = Export(self.server, self.token, path, prefer=headers["Prefer"])
        if export.answer.status != 202:
            return [self.compared(export.answer)]
        manifest = export.done()
        rows = [(kind, file["type"], file["count"], sorted(json.dumps(self.cleaned(line)) for line in export.lines(file["url"])))
                for kind in ("output", "deleted", "error") for file in manifest[kind]]
        assert export.request("DELETE", export.status_url).status == 202
        return [json.loads(json.dumps(rows))]

    # What is answered

    def compared(self, answer):
        headers = {name: answer.headers[name] for name in ("ETag", "Location", "Content-Location", "Content-Type", "Allow")
                   if answer.headers[name]}
        for address in [headers.get("Location")] if headers.get("Location") else []:
            self.learn(address)
        body = answer.body.decode()
        kind = headers.get("Content-Type", "")
        if "json" in kind and body:
            value = json.loads(body)
            for item in value.get("entry", []):
                if location := item.get("response", {}).get("location"):
                    self.learn(location)
            body = self.cleaned(value)
            own = value if "meta" in value else None
            if own and "ETag" in headers:
                headers["ETag"] = "of " + str(body["meta"]["versionId"])
        elif "xml" in kind:
            body = re.sub(r'<(versionId|lastUpdated) value="[^"]*"/>', "", body).replace(self.base, "BASE")
            headers.pop("ETag", None)
        headers = {name: self.location(value) if name.endswith("ocation") else value for name, value in headers.items()}
        if re.fullmatch(r'W/"\d+"', headers.get("ETag", "")) and "Location" in headers:
            headers["ETag"] = "of " + headers["Location"].rsplit("/", 1)[1]
        elif answer.status in (304, 204) or not body:
            headers.pop("ETag", None)
        return [answer.status, headers, body]

    def learn(self, address):
        """Notes an id that this server made."""
        found = re.search(r"(?:^|/)(\w+)/([0-9a-fA-F-]{20,})(?:/_history/\d+)?$", address)
        if found and found[2] not in self.named:
            self.named.append(found[2])

    def address(self, text):
        """An address without what is this server's own."""
        text = text.replace(self.base, "BASE").replace(self.server.url, "BASE")
        text = re.sub(r"_cursor=[^&\"]+", "_cursor=C", text)
        for number, name in enumerate(self.named):
            text = text.replace(name, f"named-{number}")
        for number, moment in enumerate(self.times):
            text = text.replace(moment, f"time-{number}").replace(moment.replace(":", "%3A"), f"time-{number}")
        return text

    def location(self, text):
        """The address of a version."""
        return re.sub(r"(\w+/[A-Za-z0-9.-]+)/_history/(\d+)",
                      lambda match: f"{match[1]}/_history/{self.place(match[1], int(match[2]))}", self.address(text))

    def cleaned(self, value, key=None):
        """JSON without what is this server's own: times, its address, its ids, and numbers of versions that others pushed."""
        if isinstance(value, list):
            return [self.cleaned(item) for item in value]
        if isinstance(value, str):
            return self.address(value)
        if not isinstance(value, dict):
            return value
        made = {}
        own = f"{value.get('resourceType')}/{value.get('id')}"
        for name, inner in value.items():
            if name in ("lastUpdated", "lastModified", "timestamp"):
                made[name] = "time"
            elif name == "meta" and "versionId" in inner:
                made[name] = self.cleaned({each: one for each, one in inner.items() if each != "versionId"})
                made[name]["versionId"] = self.place(own, int(inner["versionId"]))
            elif name == "location" and isinstance(inner, str):
                made[name] = self.location(inner)
            else:
                made[name] = self.cleaned(inner)
        if "request" in value and "response" in value:
            self.clean_version(value, made)
        elif isinstance(value.get("response"), dict) and "etag" in value["response"]:
            self.clean_response(value, made)
        return made

    def clean_version(self, value, made):
        """An entry of a history. The first version of a record says so, and so does not one with hidden ones before it."""
        key = value["fullUrl"].removeprefix(self.base + "/")
        number = int(value["response"]["etag"][3:-1])
        made["response"]["etag"] = self.place(key, number)
        if made["response"]["etag"] == 1:
            made["request"], made["response"]["status"] = "first", "first"

    def clean_response(self, value, made):
        """An entry of what answers a batch or transaction."""
        response = value["response"]
        if location := response.get("location"):
            made["response"]["etag"] = made["response"]["location"].rsplit("/", 1)[1]
        elif "meta" in value.get("resource", {}):
            made["response"]["etag"] = made["resource"]["meta"]["versionId"]
        else:
            # A deletion; of which record only the server knows, where a search found it.
            made["response"]["etag"] = "some"


def next_page(answer):
    if not answer.body or answer.status != 200 or "json" not in (answer.headers["Content-Type"] or ""):
        return None
    value = answer.json
    return next((link["url"] for link in value.get("link", []) if link.get("relation") == "next"), None)


def whole_numbers(records):
    """The versions of each record, all of them."""
    return {key: list(range(1, len(past.versions) + 1)) for key, past in records.pasts.items()}

