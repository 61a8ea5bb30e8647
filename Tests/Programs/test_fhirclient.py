"""fhirclient (PyPI) as a person's app: it finds where to ask by the CapabilityStatement, sends the person there, who signs in and
answers in Chromium, and reads, and refreshes, what was given."""

import unittest

import smart
from browser import Loopback, chromium, needs_chromium
from programs import Program, needs

SCOPE = "launch/patient openid fhirUser patient/Patient.read patient/Observation.read patient/Condition.read offline_access"


@needs("fhirclient", "playwright")
@needs_chromium
class FhirClient(Program):
    packages = ("fhirclient", "playwright")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.app = Loopback()
        cls.addClassCleanup(cls.app.close)
        for patient in ("anna", "bert"):
            cls.stored("Patient", {"id": patient, "gender": "female", "name": [{"family": "Lind", "given": [patient.title()]}]})
            for number in range(3):
                cls.stored("Observation", {"id": f"{patient}-{number}", "status": "final", "code": {"text": "pulse"},
                                           "subject": {"reference": f"Patient/{patient}"}})
            cls.stored("Condition", {"id": f"{patient}-c", "subject": {"reference": f"Patient/{patient}"},
                                     "code": {"text": "asthma"}})
        smart.person(cls.study, "anna", "participant", "--patient", "anna")
        smart.person(cls.study, "dora", "practitioner", "--practitioner", "d1")
        cls.client_id = smart.client(cls.study, SCOPE, "--public", redirect=cls.app.url)["client_id"]

    @classmethod
    def stored(cls, kind, resource):
        answer = cls.ask("PUT", f"{kind}/{resource['id']}", {"resourceType": kind, **resource})
        assert answer.status == 201, answer

    def client(self):
        from fhirclient.client import FHIRClient
        made = FHIRClient(settings={"app_id": self.client_id, "api_base": self.base, "redirect_uri": self.app.url,
                                    "scope": SCOPE})
        made.server.session.trust_env = False
        self.addCleanup(lambda: made.server.session.close())
        self.assertFalse(made.prepare(), "it has read the CapabilityStatement, and has no token yet")
        return made

    def let_in(self, client, username, password=smart.PASSWORD, untick=(), patient=None, decision="approve"):
        """What a person does in the browser; where it ends."""
        self.app.asked.clear()
        with chromium() as browser:
            page = browser.new_page()
            said, asked = [], []
            # What a browser says of itself about an answer that refuses is no complaint about a page.
            page.on("console", lambda message: "status of 403" in message.text or said.append(message.text))
            page.on("request", lambda request: asked.append(request.url.split("?")[0]))
            page.goto(client.authorize_url)
            page.get_by_label("Name", exact=True).fill(username)
            page.get_by_label("Password").fill("not the password")
            page.get_by_role("button", name="Sign in").click()
            self.assertIn("wrong", page.inner_text("main").lower())
            page.get_by_label("Name", exact=True).fill(username)
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Sign in").click()
            for scope in untick:
                page.uncheck(f"[name=scope][value='{scope}']")
            if patient:
                page.fill("[name=patient]", patient)
            page.click(f"[name=decision][value={decision}]")
            page.wait_for_url(self.app.url + "?*")
            self.assertEqual(said, [], "nothing is left out or refused by what the pages allow of themselves")
            self.assertEqual(len(self.app.asked), 1)
            self.assertEqual({url for url in asked if not url.startswith(self.server.url + "/oauth2/")},
                             {self.app.url}, "the pages load nothing from elsewhere")
        return self.app.asked[0]

    def test_it_reads_whom_it_was_let_in_for_and_not_what_was_unticked(self):
        from fhirclient.models.condition import Condition
        from fhirclient.models.observation import Observation
        from fhirclient.models.patient import Patient
        from fhirclient.server import FHIRNotFoundException, FHIRPermissionDeniedException
        client = self.client()
        client.handle_callback(self.let_in(client, "anna", untick=["patient/Condition.read"]))
        self.assertTrue(client.ready)
        self.assertEqual((client.patient_id, client.patient.name[0].given), ("anna", ["Anna"]))
        self.assertNotIn("patient/Condition.read", client.launch_context["scope"].split())
        found = Observation.where({}).perform_resources_iter(client.server)
        self.assertEqual(sorted(row.id for row in found), ["anna-0", "anna-1", "anna-2"])
        with self.assertRaises(FHIRPermissionDeniedException):
            list(Condition.where({}).perform_resources_iter(client.server))
        with self.assertRaises(FHIRNotFoundException):
            Patient.read("bert", client.server)
        before = client.server.auth.access_token, client.server.auth.refresh_token
        self.assertTrue(client.reauthorize())
        after = client.server.auth.access_token, client.server.auth.refresh_token
        self.assertFalse(set(before) & set(after), "both tokens are new")
        self.assertEqual(Patient.read("anna", client.server).gender, "female")
        with self.assertRaises(FHIRPermissionDeniedException):
            list(Condition.where({}).perform_resources_iter(client.server))

    def test_a_practitioner_names_the_patient(self):
        from fhirclient.models.condition import Condition
        client = self.client()
        client.handle_callback(self.let_in(client, "dora", patient="bert"))
        self.assertEqual((client.patient_id, client.patient.name[0].given), ("bert", ["Bert"]))
        self.assertEqual([row.id for row in Condition.where({}).perform_resources_iter(client.server)], ["bert-c"])

    def test_it_is_told_when_a_person_says_no(self):
        client = self.client()
        url = self.let_in(client, "anna", decision="deny")
        self.assertIn("error=access_denied", url)
        with self.assertRaises(Exception) as refused:
            client.handle_callback(url)
        self.assertIn("did not agree", str(refused.exception))
        self.assertFalse(client.ready)


if __name__ == "__main__":
    unittest.main()
