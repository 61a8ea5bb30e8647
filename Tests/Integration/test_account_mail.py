"""Mail to account holders by another's mail server (aiosmtpd): none is lost, and none is sent twice."""

import json
import time
import unittest

from accounts import AccountStudy
from harness import ANTISPAM, http, until
from mail_server import MailServer, Programs, code, free_port


class Mailing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = Programs()
        cls.addClassCleanup(cls.programs.close)
        assert cls.programs.python, "a Python with aiosmtpd is needed: python3-aiosmtpd, or pip"

    def study(self, port):
        study = AccountStudy(mail={"smtp": f"127.0.0.1:{port}", "from": "study@example.org"})
        self.addCleanup(study.close)
        return study

    def mail_server(self, study, port):
        server = MailServer(study.root, python=self.programs.python, port=port)
        self.addCleanup(server.stop)
        return server

    def test_a_mail_waits_for_the_mail_server_and_arrives_once(self):
        port = free_port()
        study = self.study(port)
        server = study.serve()
        ann = study.person(server, "ann@example.org")
        until(lambda: "mail cannot be sent" in server.log, "the first attempt has failed")
        mails = self.mail_server(study, port)
        mails.start()
        [received] = mails.wait_for(1)
        self.assertEqual((received["from"], received["to"]), ("study@example.org", ["ann@example.org"]))
        ann.run("verify", "--code", code(received["message"]))
        # The queue is empty, and no second one comes with the next mail.
        ann.run("reset", *ann.place, "--email", "ann@example.org")
        self.assertEqual(len(mails.wait_for(2)), 2)
        until(lambda: not study.people_sql("SELECT id FROM mail_message"), "the queue is empty")
        self.assertEqual(len(mails.messages), 2)
        self.assertFalse((study.dir / "data" / "mail").exists())
        for word in ("ann@", code(received["message"])):
            self.assertNotIn(word, server.log)

    def test_a_mail_server_that_hangs_delays_no_request(self):
        import socket

        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            study = self.study(listener.getsockname()[1])
            server = study.serve()
            study.person(server, "first@example.org")
            began = time.monotonic()
            second = study.person(server, "second@example.org")
            self.assertEqual(second.run("show")["email"], "second@example.org")
            # Far less than the time limit of an attempt, which is a minute.
            self.assertLess(time.monotonic() - began, 50)
            self.assertEqual(server.stop(), 0)

    def test_line_breaks_in_an_address_send_nothing(self):
        port = free_port()
        study = self.study(port)
        mails = self.mail_server(study, port)
        mails.start()
        server = study.serve()
        for email in ("a@example.org\r\nRCPT TO:<b@example.org>", "a@example.org>\r\nDATA", "a b@example.org"):
            body = json.dumps({"email": email, "password": "correct horse battery"}).encode()
            answer = http("POST", f"{server.url}/v1/accounts", {"Antispam": ANTISPAM}, body)
            self.assertEqual((answer.status, answer.json["code"]), (422, "email-invalid"))
        study.person(server, "good@example.org")
        [received] = mails.wait_for(1)
        self.assertEqual(received["to"], ["good@example.org"])


if __name__ == "__main__":
    unittest.main()
