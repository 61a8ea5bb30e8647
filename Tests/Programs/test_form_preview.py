"""The page of `survey preview` in Chromium, narrow and wide, in light and dark: nothing is cut off, all can be read, nothing is loaded.
`TRIBUTARY_PICTURES` names a folder that gets a picture of each."""

import os
import pathlib
import tempfile
import unittest

from browser import chromium, needs_chromium
from harness import EXAMPLES, tributary
from programs import needs
from test_pages import CUT_OFF, FAINT, SCHEMES, WIDTHS


@needs("playwright")
@needs_chromium
class FormPreview(unittest.TestCase):
    def test_the_page_of_a_form_fits_each_window(self):
        pictures = os.environ.get("TRIBUTARY_PICTURES")
        with tempfile.TemporaryDirectory() as folder, chromium() as browser:
            for form in sorted((EXAMPLES / "study" / "questionnaires").glob("*.json")):
                file = pathlib.Path(folder) / f"{form.stem}.html"
                tributary("survey", "preview", form, "-o", file)
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        page = browser.new_context(
                            viewport={"width": width, "height": 780}, color_scheme=scheme).new_page()
                        asked, complaints = [], []
                        page.on("request", lambda request, asked=asked: asked.append(request.url))
                        page.on("console", lambda message, complaints=complaints: complaints.append(message.text))
                        page.goto(file.as_uri())
                        if pictures:
                            page.screenshot(path=f"{pictures}/{form.stem}-{width}-{scheme}.png", full_page=True)
                        self.assertEqual(page.evaluate(CUT_OFF), [], (form.stem, width))
                        self.assertEqual(page.evaluate(FAINT), [], (form.stem, scheme))
                        self.assertEqual((asked, complaints), ([file.as_uri()], []))


if __name__ == "__main__":
    unittest.main()
