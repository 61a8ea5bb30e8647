"""What the tests with programs of others share: the environment that `make setup-programs` makes, studies that hold what tells
who a person is, and clients that prove themselves by keys. They use what Tests/Integration has for its own."""

import importlib.metadata
import os
import subprocess
import sys
import unittest
from pathlib import Path

from harness import SpineTest, Study, http, tributary

# Limits on rates are tests of their own; here one address is every client there is.
RATES = ("unauthenticated-by-address", "token-by-address", "read-by-address", "sign-in-by-account", "sign-in-by-account-overall", "sign-in-by-address")
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}
FULL = "user/*.cruds conf/V sens/*"
# No proxy stands between programs and servers of one machine.
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
               "NO_PROXY": "127.0.0.1,localhost"}


def version(package):
    """Which version of a package is installed, or none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def needs(*packages):
    """Skips what needs a package that is not there, and names it."""
    missing = [package for package in packages if version(package) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} not installed (make setup-programs)")


def tool(name):
    """A program of this environment."""
    return Path(sys.executable).with_name(name)


def run(*arguments, timeout=300, **more):
    """Runs a program of others to its end."""
    return subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout, check=False, env=ENVIRONMENT, text=True, **more)


def say(text):
    """What a program did, beside the names of the tests."""
    print("\n" + "\n".join("  " + line for line in text.splitlines()), file=sys.stderr, flush=True)


class Program(SpineTest):
    """A server of a study with `identifiedRecords`, and a token that may write everything."""

    packages = ()
    options = ()

    @classmethod
    def setUpClass(cls):
        say(", ".join(f"{package} {version(package)}" for package in cls.packages))
        super().setUpClass()
        cls.writer = cls.token(FULL)
        cls.base = cls.server.url + "/fhir"

    @classmethod
    def make_study(cls):
        return Study(change=cls.change)

    @staticmethod
    def change(value):
        value["identifiedRecords"] = True
        value.setdefault("limits", {})["rates"] = {name: UNLIMITED for name in RATES}

    @classmethod
    def token(cls, scope, *patients):
        named = [word for patient in patients for word in ("--patient", patient)]
        return tributary("token", "create", cls.study.dir, "--scope", scope, *named).text.strip()

    @classmethod
    def ask(cls, method, path, body=None, token=None, **headers):
        sent = {"Authorization": "Bearer " + (token or cls.writer), **headers}
        if body is not None:
            sent["Content-Type"] = "application/fhir+json"
        return http(method, path if path.startswith("http") else f"{cls.base}/{path}".rstrip("/"), sent, body)

    @classmethod
    def registered(cls, jwks, scope):
        """A client of Backend Services, by the file of its public keys."""
        return tributary("client", "create", cls.study.dir, "--name", "Hospital", "--jwks", jwks, "--scope", scope,
                         "--json").json["client_id"]
