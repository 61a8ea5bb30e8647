"""Studies with accounts, and people who use them by the command line."""

import re
import time

from harness import ANTISPAM, Study, read_sql, tributary

PASSWORD = "correct horse battery"


class AccountStudy(Study):
    """A study with accounts and two groups."""

    def __init__(self, mail=None, change=None, groups=("main", "other"), **options):
        def add(value):
            value["accounts"] = {"groups": list(groups)} | ({"mail": mail} if mail else {})
            if self.url:
                value["people"] = self.url
            if change:
                change(value)

        super().__init__(change=add, **options)
        self.password = self.root / "password.txt"
        self.password.write_text(PASSWORD + "\n")
        self.people = 0

    def account(self, *arguments, status=0):
        """Runs a command of the study team."""
        return tributary("account", *arguments[:1], self.dir, *arguments[1:], "--json", status=status).json

    def people_sql(self, statement, *parameters):
        """Rows of the people store, read while the server runs."""
        path = self.url or self.dir / "data" / "people.sqlite"
        return read_sql(path, statement, *parameters, schema=self.url and "tributary_people")

    def mails(self, address):
        """The mails to an address in data/mail, in the order of their times."""
        found = []
        for file in (self.dir / "data" / "mail").glob("*.eml"):
            text = file.read_text()
            if f"<{address}>" in text.split("\r\n\r\n")[0]:
                found.append((file.stat().st_mtime_ns, text))
        return [text for _, text in sorted(found)]

    def code(self, address, count=1, seconds=30):
        """The code of the newest mail with one to an address, when there are `count` such mails."""
        deadline = time.monotonic() + seconds
        while True:
            codes = [found.group(1) for text in self.mails(address) if (found := re.search(r"^Code: (\S+)", text, re.M))]
            if len(codes) >= count:
                return codes[-1]
            assert time.monotonic() < deadline, f"{len(codes)} of {count} mails with a code to {address}"
            time.sleep(0.05)

    def person(self, server, email, **options):
        return Person(self, server, email, **options)


class Person:
    """A person with a folder, as an app has it."""

    def __init__(self, study, server, email, group=None, signs_up=True, verified=False):
        study.people += 1
        self.study, self.email = study, email
        self.store = study.root / f"person-{study.people}"
        self.place = ["--url", server.url, "--antispam", ANTISPAM]
        if signs_up:
            options = ["--group", group] if group else []
            self.id = self.run("sign-up", *self.place, "--email", email, "--password-file", study.password,
                               *options)["account"]
            if verified:
                self.verify()

    def command(self, noun, *arguments, status=0):
        done = tributary(*noun, *arguments, "--store", self.store, "--json", status=status)
        return done.json if status == 0 and done.text.strip() else done

    def run(self, *arguments, status=0):
        return self.command(("me",), *arguments, status=status)

    def team(self, *arguments, status=0):
        return self.command(("team",), *arguments, status=status)

    def verify(self):
        self.run("verify", "--code", self.study.code(self.email))

    def login(self, password=None, status=0):
        return self.run("login", *self.place, "--email", self.email, "--password-file", password or self.study.password,
                        status=status)
