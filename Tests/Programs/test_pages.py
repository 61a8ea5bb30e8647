"""The pages that people see, in Chromium on a phone and on a desk, in light and dark: whole, with nothing cut off or beyond the edge.
`TRIBUTARY_PICTURES` names a folder that gets a picture of each."""

import os
import pathlib
import unittest

import fhirblocks
import smart
from browser import chromium, needs_chromium
from programs import Program, needs, say

# What stands out of the window, or whose words do not fit into it.
CUT_OFF = """() => [...document.querySelectorAll('body *')].filter(one => {
  const box = one.getBoundingClientRect();
  return box.width && (box.left < 0 || box.right > innerWidth + 1 || one.scrollWidth > one.clientWidth + 1 &&
                       getComputedStyle(one).display !== 'inline' && one.tagName !== 'INPUT');
}).map(one => one.outerHTML.slice(0, 80))"""
# Words against what is behind them, as WCAG 2 reckons contrast.
FAINT = """() => {
  const parts = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = colour => { const [r, g, b] = parts(colour).slice(0, 3).map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = one => { for (let at = one; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor;
    if (parts(c).length < 4 || parts(c)[3] > 0) return c; } return 'rgb(255,255,255)'; };
  return [...document.querySelectorAll('main, main *')].filter(one => [...one.childNodes].some(
    node => node.nodeType === 3 && node.textContent.trim())).map(one => {
      const pair = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a);
      return [(pair[0] + 0.05) / (pair[1] + 0.05), one.outerHTML.slice(0, 60)];
    }).filter(row => row[0] < 4.5);
}"""
WIDTHS = (360, 1280)
SCHEMES = ("light", "dark")
# Each account signs in once a round, and one that there is not once more than it may.
ROUNDS = len(WIDTHS) * len(SCHEMES)
SCOPE = ("launch/patient openid fhirUser patient/Observation.cruds patient/Condition.rs?category=problem-list-item "
         "patient/MedicationRequest.rs offline_access sens/* conf/R")


@needs("playwright")
@needs_chromium
class Pages(Program):
    packages = ("playwright",)

    @staticmethod
    def change(value):
        Program.change(value)
        value["title"] = "Sleep and mood in the first year after a stroke"
        value["limits"]["rates"]["sign-in-by-account"] = {"perSecond": 0.02, "burst": ROUNDS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for patient in ("anna", "bert"):
            cls.ask("PUT", f"Patient/{patient}", {"resourceType": "Patient", "id": patient})
        smart.person(cls.study, "anna.bergqvist-holmgren@example.org", "participant", "--patient", "anna")
        smart.person(cls.study, "dora", "practitioner", "--practitioner", "d1")
        smart.person(cls.study, "sam", "staff")
        cls.client_id = smart.client(cls.study, SCOPE + " user/*.rs", "--public", name="Sleep diary for phones")["client_id"]
        smart.person(cls.study, "bert", "participant", "--patient", "bert")
        cls.wallet = fhirblocks.wallet(cls.study, cls.server, "bert")
        cls.apps = [fhirblocks.Csi(cls.server, name).register() for name in ("Blood pressure and pulse at home", "Steps")]
        for app, access in zip(cls.apps, ("write", "read")):
            cls.wallet.grant(app, access=access, types="Observation,Condition,MedicationRequest")
            app.read("Observation")


    def seen(self, page, name):
        """Holds a page against what is asked of all of them, and keeps its picture."""
        width = page.viewport_size["width"]
        pictures = os.environ.get("TRIBUTARY_PICTURES")
        if pictures:
            pathlib.Path(pictures).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{pictures}/{name}-{width}-{self.scheme}.png", full_page=True)
        where = f"{name} at {width}, {self.scheme}"
        self.assertEqual(page.evaluate(CUT_OFF), [], where)
        self.assertEqual(page.evaluate(FAINT), [], where)
        self.assertEqual(page.locator("h1").count(), 1, where)
        self.assertEqual(page.locator("script").count(), 0, where)
        self.assertEqual(self.said, [], where)
        self.pages.append(name)

    def request(self, scope=SCOPE, **more):
        return smart.request(self.server, self.client_id, scope, smart.challenge()[1], **more)

    @staticmethod
    def follow(page, button):
        """Clicks a button and waits until the page that it leads to is there whole."""
        with page.expect_navigation():
            page.click(button)

    def sign_in(self, page, username, password=smart.PASSWORD):
        page.fill("[name=username]", username)
        page.fill("[name=password]", password)
        self.follow(page, "button.main")

    def go_through(self, browser, width):
        def page():
            made = browser.new_context(viewport={"width": width, "height": 780}, color_scheme=self.scheme).new_page()
            # What a browser says of itself about an answer that refuses is no complaint about a page.
            made.on("console", lambda message: "status of 4" in message.text or self.said.append(message.text))
            return made

        participant = page()
        participant.goto(self.request())
        self.seen(participant, "sign-in")
        unknown = f"nobody-{width}-{self.scheme}"
        self.sign_in(participant, unknown, "wrong")
        self.seen(participant, "wrong-password")
        for _ in range(ROUNDS):
            self.sign_in(participant, unknown, "wrong")
        self.seen(participant, "too-many-attempts")
        participant.goto(self.request())
        self.sign_in(participant, "anna.bergqvist-holmgren@example.org")
        self.seen(participant, "consent-of-a-participant")
        self.follow(participant, "[value=sign-out]")
        self.seen(participant, "somebody-else")
        practitioner = page()
        practitioner.goto(self.request())
        self.sign_in(practitioner, "dora")
        self.seen(practitioner, "consent-of-a-practitioner")
        practitioner.uncheck("[value='patient/MedicationRequest.rs']")
        practitioner.fill("[name=patient]", "nobody")
        self.follow(practitioner, "[value=approve]")
        self.assertFalse(practitioner.is_checked("[value='patient/MedicationRequest.rs']"))
        self.assertEqual(practitioner.input_value("[name=patient]"), "nobody")
        self.seen(practitioner, "no-such-patient")
        practitioner.goto(self.request("user/*.rs"))
        self.seen(practitioner, "consent-without-patient")
        practitioner.context.clear_cookies()
        self.follow(practitioner, "[value=approve]")
        self.seen(practitioner, "nobody-signed-in")
        practitioner.context.clear_cookies()
        self.sign_in(practitioner, "dora")
        self.seen(practitioner, "form-of-another-browser")
        staff = page()
        staff.goto(self.request("user/*.rs"))
        self.sign_in(staff, "sam")
        self.seen(staff, "consent-of-staff")
        for name, url in (("unknown-app", self.server.url + "/oauth2/authorize?client_id=x"),
                          ("foreign-address", self.request(redirect_uri="https://other.example/callback"))):
            staff.goto(url)
            self.seen(staff, name)

        self.go_through_wallet(page(), page())

    def go_through_wallet(self, empty, page):
        empty.goto(self.server.url + "/wallet")
        self.seen(empty, "wallet-sign-in")
        self.sign_in(empty, "anna.bergqvist-holmgren@example.org")
        self.seen(empty, "wallet-without-access")
        page.goto(self.server.url + "/wallet")
        self.sign_in(page, "bert")
        self.seen(page, "wallet")
        self.assertNotRegex(page.inner_text("main"), r"[0-9a-f]{8}-[0-9a-f]{4}-")
        self.follow(page, "[data-action=code]")
        self.assertTrue(page.locator("[data-code]").inner_text().strip())
        self.seen(page, "wallet-code")
        page.goto(self.server.url + "/wallet")
        before = page.locator("[data-access]").count()
        self.wallet.grant(fhirblocks.Csi(self.server, "Diary").register(), types="Observation")
        page.goto(self.server.url + "/wallet")
        self.assertEqual(page.locator("[data-access]").count(), before + 1)
        entry = page.locator("[data-access]", has_text="Diary")
        with page.expect_navigation():
            entry.get_by_role("button").click()
        self.assertEqual(page.locator("[data-access]").count(), before)
        self.seen(page, "wallet-after-an-end")

    def test_nothing_is_cut_off_and_everything_can_be_read(self):
        self.pages, self.said = [], []
        with chromium() as browser:
            for width in WIDTHS:
                for self.scheme in SCHEMES:
                    self.go_through(browser, width)
        say(f"{len(set(self.pages))} pages at {' and '.join(map(str, WIDTHS))} pixels, light and dark: "
            + ", ".join(dict.fromkeys(self.pages)))


if __name__ == "__main__":
    unittest.main()
