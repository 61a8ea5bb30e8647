"""What apps and people's browsers do with the authorization server: pages, forms, cookies, PKCE, keys; and a Python that has
other people's SMART clients."""

import base64
import hashlib
import html.parser
import http.cookiejar
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from harness import Response, tributary

REDIRECT = "https://app.example/callback"
PASSWORD = "correct horse battery"


class Form(html.parser.HTMLParser):
    """The form of a page: where it leads, its hidden fields, and its boxes with whether they are ticked."""

    def __init__(self, text):
        super().__init__()
        self.action, self.hidden, self.boxes, self.names = None, [], {}, set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.action = given["action"]
        if tag in ("input", "button"):
            self.names.add(given.get("name"))
        if tag == "input" and given.get("type") == "hidden":
            self.hidden.append((given["name"], given["value"]))
        if tag == "input" and given.get("type") == "checkbox":
            self.boxes[given["value"]] = "checked" in given


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows redirects on the server alone, as the app at the other end is not there."""

    def redirect_request(self, request, answer, code, message, headers, url):
        if urllib.parse.urlsplit(url).netloc != urllib.parse.urlsplit(request.full_url).netloc:
            return None
        return super().redirect_request(request, answer, code, message, headers, url)


class Browser:
    """A person's browser, with its cookies."""

    def __init__(self, url):
        self.url = url
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar), Stay())

    def go(self, path, fields=None):
        url = urllib.parse.urljoin(self.url + "/oauth2/authorize", path)
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        try:
            with self.opener.open(urllib.request.Request(url, data=data), timeout=60) as answer:
                return Response(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as answer:
            with answer:
                return Response(answer.code, answer.headers, answer.read())

    def sign_in(self, page, username, password=PASSWORD):
        form = Form(page.body.decode())
        return self.go(form.action, form.hidden + [("username", username), ("password", password)])

    def decide(self, page, decision="approve", ticked=None, **more):
        """Sends what is ticked, or other boxes."""
        form = Form(page.body.decode())
        boxes = [name for name, on in form.boxes.items() if on] if ticked is None else ticked
        return self.go(form.action, form.hidden + [("scope", name) for name in boxes] + list(more.items())
                       + [("decision", decision)])

    def code(self, url, username, **more):
        """From an app's address to the code that it is sent."""
        page = self.go(url)
        if b'name="password"' in page.body:
            page = self.sign_in(page, username)
        return sent_back(self.decide(page, **more))


def sent_back(answer):
    """The parameters with which a browser is sent to the app."""
    assert answer.status == 303, answer
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))


def challenge():
    verifier = secrets.token_urlsafe(32)
    return verifier, base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def request(server, client, scope, challenged, **more):
    fields = {"response_type": "code", "client_id": client, "redirect_uri": REDIRECT, "scope": scope, "state": "s-1",
              "aud": server.url + "/fhir", "code_challenge": challenged, "code_challenge_method": "S256", **more}
    return server.url + "/oauth2/authorize?" + urllib.parse.urlencode(fields)


def post(server, path, **fields):
    """A form of an app's, without cookies."""
    body = urllib.parse.urlencode(fields)
    return server.request("POST", path, {"Content-Type": "application/x-www-form-urlencoded"}, body)


def client(study, scope, *proof, redirect=REDIRECT, name="Sleep diary"):
    """Registers a client."""
    where = ["--redirect-uri", redirect] if redirect else []
    return tributary("client", "create", study.dir, "--name", name, *proof, *where, "--scope", scope, "--json").json


def person(study, username, role, *more):
    """Makes an account."""
    return tributary("person", "create", study.dir, "--username", username, "--role", role, *more, "--password-file", "-",
                     "--json", stdin=PASSWORD.encode()).json


class Programs:
    """A Python with other people's clients, in a folder of its own."""

    packages = ("authlib", "requests", "cryptography")

    def __init__(self):
        self.folder, self.python = Path(tempfile.mkdtemp(prefix="tributary-smart-")), None
        for python in dict.fromkeys([sys.executable, shutil.which("python3"), "/usr/bin/python3"]):
            made = python and subprocess.run([python, "-m", "venv", "--clear", self.folder], capture_output=True, check=False)
            if not made or made.returncode:
                continue
            own = self.folder / "bin" / "python"
            done = subprocess.run([own, "-m", "pip", "install", "--quiet", *self.packages], capture_output=True,
                                  check=False, timeout=600)
            if done.returncode == 0:
                self.python = own
                return

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, action, **given):
        """What `smart_programs.py` made of it."""
        script = Path(__file__).with_name("smart_programs.py")
        done = subprocess.run([self.python, script, action], input=json.dumps(given).encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=120)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        return json.loads(done.stdout)
