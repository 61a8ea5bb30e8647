"""Debian's Chromium without a window, driven by playwright, and what an app has at its redirect address on the machine itself."""

import contextlib
import http.server
import shutil
import threading
import unittest

CHROMIUM = shutil.which("chromium")


def needs_chromium(tests):
    return unittest.skipUnless(CHROMIUM, "Debian's chromium is not installed (make setup-programs)")(tests)


@contextlib.contextmanager
def chromium():
    """A browser; its sandbox wants what root has not."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


class Loopback:
    """Takes the one request with which a browser comes back to an app."""

    def __init__(self):
        outer = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/callback"):
                    outer.asked.append(f"http://127.0.0.1:{self.server.server_port}{self.path}")
                body = b"<!doctype html><title>App</title>Back in the app."
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/callback"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
