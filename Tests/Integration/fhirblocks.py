"""A client of FhirBlocks: apps and wallets that sign with the `openssl` command, by the document's payloads (version 1) and by
version 2. Written from the document and the issue; it shares no code with the server."""

import base64
import datetime
import hashlib
import json
import secrets
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from harness import http, tributary

CLAIMS = ("DateofBirth", "FirstName", "MiddleName", "LastName", "Gender")
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}
RATES = ("unauthenticated-by-address", "token-by-address", "token-by-client", "read-by-address", "csi-registration-by-address")


# Texts


def instant(moment):
    """The document's form of a time: whole seconds of UTC."""
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def now(**difference):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**difference)


def canonical(value):
    """RFC 8785 for texts, booleans, lists and objects whose names are ASCII."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def nonce():
    """A random text with the form of the document's client: 36 characters, dashes at 8, 13, 18, 23."""
    text = secrets.token_hex(16)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def claims(*values):
    values = values or ("",) * len(CLAIMS)
    return [{"key": name, "value": value} for name, value in zip(CLAIMS, values)]


# Keys and signatures


def openssl(*arguments, stdin=b""):
    return subprocess.run(["openssl", *map(str, arguments)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True).stdout


class Key:
    """A private key of P-256 in a file."""

    folder = None

    def __init__(self, curve="prime256v1"):
        Key.folder = Key.folder or tempfile.TemporaryDirectory(prefix="tributary-fhirblocks-")
        self.file = Path(Key.folder.name) / f"{secrets.token_hex(8)}.pem"
        openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", self.file)
        self.info = openssl("ec", "-in", self.file, "-pubout", "-outform", "DER")

    @property
    def public(self):
        """Base64 of the SubjectPublicKeyInfo."""
        return base64.b64encode(self.info).decode()

    @property
    def pem(self):
        return openssl("pkcs8", "-topk8", "-nocrypt", "-in", self.file).decode()

    def sign(self, text):
        """DER over SHA-256."""
        return openssl("dgst", "-sha256", "-sign", self.file, stdin=text if isinstance(text, bytes) else text.encode())


def numbers(der):
    """r and s of a signature in DER."""
    assert der[0] == 0x30 and der[2] == 2, der
    first = der[4:4 + der[3]]
    rest = der[4 + der[3]:]
    assert rest[0] == 2
    return int.from_bytes(first, "big"), int.from_bytes(rest[2:2 + rest[1]], "big")


def der(r, s):
    def integer(number):
        content = number.to_bytes(number.bit_length() // 8 + 1, "big")
        return bytes((2, len(content))) + content

    content = integer(r) + integer(s)
    return bytes((0x30, len(content))) + content


def twin(signature):
    """The other signature of the same message: (r, n - s)."""
    r, s = numbers(base64.b64decode(signature))
    return base64.b64encode(der(r, ORDER - s)).decode()


def url_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


# Payloads


def payload(path, body):
    """The text that version 1 signs, byte for byte."""
    time, once = body["dateTime"], body["nonce"]
    name = path.rsplit("/", 1)[1]
    if name == "requestCsiRegistration":
        text = ",".join(f'{{"key": "{row["key"]}", "value": "{row["value"]}"}}' for row in body["publicClaims"])
        fields = ["ecdsa", body["publicKey"], body["deviceId"], time, once, f"[{text}]"]
    elif name == "fetchPublicClaims":
        fields = [body["desiredCsiGuid"], time, once]
    elif name == "writePermission":
        given = body["permission"]
        scope = given["heartScope"]
        grantees = given["permissionedCsiGuids"] if "permissionedCsiGuids" in given else [given["permissionedCsiGuid"]]
        fields = [given["endTime"], given["startTime"], *grantees, scope["permissionType"], scope["confidentialityScope"],
                  *scope["sensitivityScope"], scope["resourceScope"], body["csiGuid"], time, once]
    elif name == "deletePermission":
        fields = [body["permissionedGuidBeingDeleted"], time, once]
    elif name == "fetchPermissionsGivenByMe":
        fields = [body["csiGuid"], time, once]
    elif name == "fetchPermissionsGivenToMe":
        fields = [time, once]
    else:
        raise AssertionError(f"version 1 has no {name}")
    return "|" + "|".join(fields) + "|"


def text_of_version_2(path, body):
    signed = {name: value for name, value in body.items() if name not in ("signature", "proof")}
    digest = hashlib.sha256(canonical(signed).encode()).hexdigest()
    return f"|FB2|POST|{path}|{body['csiGuid']}|{digest}|{body['dateTime']}|{body['nonce']}|"


def signed_text(path, body):
    return text_of_version_2(path, body) if "sigVersion" in body else payload(path, body)


def heart_scope(types="*", access="read", confidentiality="N", sensitivities=()):
    return {"accessType": access, "confidentialityScope": confidentiality, "permissionType": "patient",
            "resourceScope": types, "sensitivityScope": list(sensitivities)}


def permission(grantees, types="*", access="read", confidentiality="N", sensitivities=(), start=None, end=None, parent=None):
    """The content of a request; times are datetimes or texts, by default from now on for a day."""
    texts = [moment if isinstance(moment, str) else instant(moment) for moment in (end or now(days=1), start or now())]
    given = {"endTime": texts[0], "startTime": texts[1], "timeStamp": instant(now()),
             "permissionedCsiGuids": [getattr(one, "guid", one) for one in grantees],
             "heartScope": heart_scope(types, access, confidentiality, sensitivities)}
    if parent:
        given["parentPermissionId"] = parent
    return given


# Calls


def get(server, path):
    return server.request("GET", path, {"Accept": "application/json"})


def post(server, path, body):
    return server.request("POST", path, {"Content-Type": "application/json", "Accept": "application/json"},
                          body if isinstance(body, (bytes, str)) else json.dumps(body, ensure_ascii=False).encode())


class Csi:
    """An app or a wallet. `server` may be changed: the csi is the same at each process on one store."""

    def __init__(self, server, name="Steps", device=None, version=2, key=None):
        self.server, self.name, self.version = server, name, version
        self.key = key or Key()
        self.device = device or f"device-{secrets.token_hex(8)}"
        self.guid = self.patient = None
        self.begins = set()

    # Signed requests

    def signed(self, path, version=None, key=None, time=None, once=None, new_key=None, **fields):
        """A signed body; a time is a text or a datetime."""
        version = version or self.version
        time = now() if time is None else time
        body = {"csiGuid": self.guid, "dateTime": time if isinstance(time, str) else instant(time), "nonce": once or nonce(),
                "cipherSpec" if path.endswith("requestCsiRegistration") else "cipher": "ecdsa", **fields}
        if version == 2:
            body["sigVersion"] = "2"
        text = signed_text(path, body)
        body["signature"] = base64.b64encode((key or self.key).sign(text)).decode()
        if new_key:
            body["proof"] = base64.b64encode(new_key.sign(text)).decode()
        return body

    def call(self, path, query="", **fields):
        return post(self.server, path + query, self.signed(path, **fields))

    def ask(self, path, query="", **fields):
        """The answer of a call that succeeds."""
        answer = self.call(path, query, **fields)
        assert answer.status == 200, (path, answer)
        return answer.json

    # The calls

    def registration(self, guid=None, version=None, values=None, **more):
        self.guid = guid or self.guid or get(self.server, "/util/getGloballyUniqueIdentifier").json["guid"]
        return self.signed("/csi/requestCsiRegistration", version, **{
            "applicationClass": self.name, "deviceId": self.device, "publicClaims": claims(*(values or ())),
            "publicKey": self.key.public, **more})

    def register(self, values=None):
        answer = post(self.server, "/csi/requestCsiRegistration", self.registration(values=values))
        assert answer.status == 200, answer
        assert answer.json == {"status": "ok", "csiGuid": self.guid}, answer
        return self

    def bind(self, code):
        answer = self.ask("/csi/bind", version=2, code=code)
        assert answer["status"] == "ok" and answer["csiGuid"] == self.guid, answer
        self.patient = answer["patient"].removeprefix("Patient/")
        return self

    def claims_of(self, other, **more):
        return self.call("/csi/fetchPublicClaims", desiredCsiGuid=getattr(other, "guid", other), **more)

    def rotate(self):
        new = Key()
        answer = self.ask("/csi/rotateKey", version=2, new_key=new, publicKey=new.public)
        assert answer == {"status": "ok", "csiGuid": self.guid}, answer
        self.key = new

    def revoke(self, other=None):
        return self.call("/csi/revoke", version=2, revokedCsiGuid=(other or self).guid)

    def write(self, given, **more):
        return self.call("/permission/writePermission", permission=given, **more)

    def grant(self, *grantees, **terms):
        """The ids of new permissions."""
        answer = self.ask("/permission/writePermission", permission=permission(grantees, **terms))
        assert answer["status"] == "ok" and len(answer["permissionIds"]) == len(grantees), answer
        return answer["permissionIds"]

    def end(self, grantee, permission_id=None, **more):
        fields = {"permissionId": permission_id} if permission_id else {}
        return self.call("/permission/deletePermission", permissionedGuidBeingDeleted=getattr(grantee, "guid", grantee),
                         **fields, **more)

    def given(self, everything=False):
        return self.ask("/permission/fetchPermissionsGivenByMe", "?all=true" if everything else "")["permissions"]

    def received(self, everything=False):
        return self.ask("/permission/fetchPermissionsGivenToMe", "?all=true" if everything else "")["permissions"]

    # Tokens

    def assertion(self, **changes):
        """A JWS by ES256 for the token endpoint."""
        begin = int(now().timestamp())
        head = {"alg": "ES256", "typ": "JWT", "kid": self.guid}
        body = {"iss": self.guid, "sub": self.guid, "aud": self.server.url + "/oauth2/token", "iat": begin, "exp": begin + 240,
                "jti": secrets.token_hex(16), **changes}
        text = ".".join(url_base64(json.dumps(part).encode()) for part in (head, body))
        return text + "." + url_base64(b"".join(number.to_bytes(32, "big") for number in numbers(self.key.sign(text))))

    def token_answer(self, scope=None, **changes):
        fields = {"grant_type": "client_credentials", "client_assertion_type": ASSERTION,
                  "client_assertion": self.assertion(**changes)}
        if scope is not None:
            fields["scope"] = scope
        return self.server.request("POST", "/oauth2/token", FORM, urllib.parse.urlencode(fields))

    def token(self, scope=None):
        answer = self.token_answer(scope)
        assert answer.status == 200, answer
        return answer.json["access_token"]

    # The document's tokens

    def document_assertion(self, head, body, change=None):
        """Not a JWS: the signature is DER over the payload, all in base64 with padding."""
        parts = [json.dumps(part, separators=(",", ":")).encode() for part in (head, body)]
        signature = self.key.sign(parts[1])
        return ".".join(base64.b64encode(part).decode() for part in [change or parts[0], parts[1], signature])

    def auth(self, scope, **changes):
        """`/vaca/auth`; nothing is escaped, so each `+` of the base64 arrives as a blank. Two requests of one second would have
        one payload, and so be a replay."""
        begin = int(now().timestamp())
        while begin in self.begins:
            begin -= 1
        self.begins.add(begin)
        body = {"iss": self.guid, "sub": self.guid, "aud": self.server.url + "/vaca/auth", "iat": str(begin),
                "exp": str(begin + 300), "jti": self.device, "scope": scope, "sta": self.device, **changes}
        text = self.document_assertion({"alg": "ES256", "typ": "jwt"}, body)
        return self.server.request("POST", "/vaca/auth", FORM, (
            f"grant_type=authorization_code&assertion_type={ASSERTION}&assertion={text}"))

    def access(self, code, escaped_again=False, head=None, key_of=None):
        """`/vaca/access`: the document's text, or the app's, which escapes it once more."""
        signer = key_of or self
        text = signer.document_assertion(head or {"kid": self.guid, "alg": "ES256"}, {"code": code, "iss": self.guid})
        form = (f"grant_type=authorization_code&code={code}&client_assertion_type={urllib.parse.quote(ASSERTION, safe='')}"
                f"&client_assertion={text}")
        if escaped_again:
            form = urllib.parse.quote(form, safe="!$&'()*,-.:;=[]_~")
        return self.server.request("POST", "/vaca/access", FORM, form)

    # Records

    def read(self, path, token=None, method="GET", body=None):
        headers = {"Authorization": "Bearer " + (token or self.token())}
        if body is not None:
            headers["Content-Type"] = "application/fhir+json"
        return self.server.request(method, "/fhir/" + path, headers, body)


# Studies


def settings(legacy=False, identified=True):
    """What a study of these tests has."""
    def change(value):
        value.setdefault("limits", {})["rates"] = {name: UNLIMITED for name in RATES}
        value["identifiedRecords"] = identified
        if legacy:
            value["fhirBlocks"] = {"legacy": True}
    return change


def wallet_code(study, patient):
    """The one-time code of the site."""
    return tributary("wallet-code", "create", study.dir, "--patient", patient).text.strip()


def wallet(study, server, patient, **options):
    """A registered wallet that is bound to a Patient."""
    return Csi(server, "Wallet", **options).register().bind(wallet_code(study, patient))


def writer_token(study):
    return tributary("token", "create", study.dir, "--scope", "user/*.cruds conf/V sens/*").text.strip()


def put(server, token, resource):
    """Stores a resource under its id."""
    answer = http("PUT", f"{server.url}/fhir/{resource['resourceType']}/{resource['id']}",
                  {"Authorization": "Bearer " + token, "Content-Type": "application/fhir+json"}, resource)
    assert answer.status in (200, 201), answer
    return answer
