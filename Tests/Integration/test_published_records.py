"""What a study publishes stands among the records: programs find by it what was asked."""

import unittest

from forms import response
from harness import until
from writing import Writing


class Published(Writing):
    """Forms and the consent, as programs find them."""

    def resources(self, path):
        answer = self.ask("GET", path)
        self.assertEqual(answer.status, 200)
        return [one["resource"] for one in answer.json.get("entry", [])]

    def test_forms_are_found_and_change_with_their_files(self):
        until(lambda: self.ask("GET", "Questionnaire").json.get("entry"), "the forms among the records")
        forms = self.resources("Questionnaire?_count=50")
        self.assertTrue(all(form["resourceType"] == "Questionnaire" for form in forms))
        consents = self.resources("Contract?_id:not=none")
        self.assertTrue(any(one["id"].startswith("published-") for one in consents), consents)
        form = {**forms[0], "title": "Another title"}
        form.pop("meta")
        refused = self.ask("PUT", f"Questionnaire/{form['id']}", form)
        self.refused(refused, 403, "published-by-study")
        self.refused(self.ask("DELETE", f"Questionnaire/{form['id']}"), 403, "published-by-study")
        # Its file changes while it is served.
        self.study.publish(form, name=form["id"])
        until(lambda: self.ask("GET", f"Questionnaire/{form['id']}").json.get("title") == "Another title",
              "the form as its file says")
        self.assertEqual(self.ask("GET", f"Questionnaire/{form['id']}/_history").json["total"], 2)


if __name__ == "__main__":
    unittest.main()
