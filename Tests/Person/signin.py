#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""People at the sign-in page, in a real Chromium: without scripts, by keyboard, by touch, in every language and size.

    signin.py FILE [OPTION FOR CHROMIUM …]

FILE is a JSON object: `authority` and `client` of the authorization requests (the client's redirect URI is
http://localhost/), `domain`, `username` (without the domain), `password`. Prints one JSON object: `faults`, one sentence each. If
BATON_SCREENSHOTS names a folder, it gets a picture of each page.
"""
import http.server
import json
import sys
import threading
from urllib.parse import parse_qs, urlencode, urlsplit

from pages import LANGUAGES, PATIENCE, Pages, with_chromium

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # RFC 7636, appendix B


class SignIn(Pages):
    def __init__(self, wanted, browser, app):
        place = urlsplit(wanted["authority"])
        super().__init__(browser, f"{place.scheme}://{place.netloc}", "signin")
        self.wanted, self.app = wanted, app
        self.allowed.append(app)
        # Chromium reports the status of an answer that is an error page.
        self.ignored.append("responded with a status of 400")

    def address(self, **more):
        return f"{self.wanted['authority']}/oauth2/v2.0/authorize?" + urlencode({
            "client_id": self.wanted["client"], "response_type": "code", "redirect_uri": self.app,
            "scope": "openid profile offline_access User.Read", "code_challenge": CHALLENGE,
            "code_challenge_method": "S256", **more})

    def arrived(self, page, how):
        page.wait_for_url(f"{self.app}**", timeout=PATIENCE)
        self.expect("code" in parse_qs(urlsplit(page.url).query), f"{how}: the app got no code")

    def in_every_language(self):
        for theme in ["light", "dark"]:
            page = self.page(color_scheme=theme)
            for language in LANGUAGES:
                page.goto(self.address(ui_locales=language))
                self.sizes(page, f"page-{theme}", language)
                if theme == "light" or language in ["en", "ar"]:
                    self.judge(page, f"page-{language}-{theme}")
                page.click("summary")
                self.look(page, f"languages-{language}-{theme}", language)
            page.context.close()

    def without_scripts(self):
        """The whole sign-in works without scripts: another language, a wrong password, the right one."""
        page = self.page(java_script_enabled=False, viewport={"width": 820, "height": 1180})
        page.goto(self.address())
        page.click("summary")
        page.click("button[lang=de]")
        self.expect(page.get_attribute("html", "lang") == "de", "without scripts: the language did not change")
        page.fill("#username", self.wanted["username"])
        page.fill("#password", "wrong")
        page.click("main button[type=submit]")
        alert = page.text_content("[role=alert]")
        self.expect(alert.startswith("Benutzername oder Passwort stimmt nicht"), f"without scripts: {alert}")
        self.expect(self.wanted["domain"] in page.text_content("#username-hint"), "the hint names no domain")
        self.shoot(page, "wrong-de")
        page.fill("#password", self.wanted["password"])
        page.click("main button[type=submit]")
        self.arrived(page, "without scripts")
        page.context.close()

    def by_keyboard(self):
        page = self.page(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        page.goto(self.address(prompt="consent"))
        page.keyboard.type(self.wanted["username"])
        page.keyboard.press("Tab")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert]", timeout=PATIENCE)
        self.judge(page, "wrong-dark")
        # The name is already filled in, so the password has the focus.
        page.keyboard.type(self.wanted["password"])
        page.keyboard.press("Enter")
        page.wait_for_selector("main ul", timeout=PATIENCE)
        self.judge(page, "consent")
        page.keyboard.press("Enter")
        self.arrived(page, "by keyboard")
        page.goto(self.address(prompt="select_account", ui_locales="ar"))
        self.judge(page, "account-ar")
        page.keyboard.press("Enter")
        self.arrived(page, "with an account")
        page.goto(f"{self.wanted['authority']}/oauth2/v2.0/logout")
        self.judge(page, "sign-out")
        page.keyboard.press("Enter")
        page.wait_for_selector("main:not(:has(form))", timeout=PATIENCE)
        self.judge(page, "signed-out")
        page.context.close()

    def by_touch(self):
        """On a device without a keyboard, the page draws one."""
        page = self.page(viewport={"width": 820, "height": 1180}, has_touch=True)
        page.goto(self.address(ui_locales="de"))
        self.expect(page.is_hidden("#keyboard"), "the keyboard is there before anybody touches a field")
        page.tap("#username")
        page.wait_for_selector("#keyboard button", timeout=PATIENCE)
        self.judge(page, "keyboard-de")
        self.touch(page, self.wanted["username"])
        page.tap("#keyboard button[aria-label='Fertig']")
        self.expect(page.evaluate("document.activeElement.id") == "password", "Done does not lead to the password")
        self.touch(page, "ü")
        page.tap("#keyboard button[aria-label='Löschen']")
        self.touch(page, self.wanted["password"])
        self.expect(page.input_value("#username") == self.wanted["username"], "the keys typed another name")
        page.tap("#keyboard button[aria-label='Fertig']")
        self.arrived(page, "by touch")
        page.context.close()
        for language in LANGUAGES:
            page = self.page(viewport={"width": 360, "height": 640}, has_touch=True)
            page.goto(self.address(ui_locales=language))
            page.tap("#username")
            page.wait_for_selector("#keyboard button", timeout=PATIENCE)
            self.look(page, f"keyboard-{language}", language)
            self.shoot(page, f"keyboard-{language}-phone")
            page.keyboard.press("a")
            self.expect(page.is_hidden("#keyboard"), f"{language}: the page's keyboard stays although there is a real one")
            page.context.close()

    def touch(self, page, text):
        for character in text:
            letter = character.lower()
            if page.locator(f"#keyboard button:text-is('{letter}')").count() == 0:
                page.tap("#keyboard button:has-text('#+=')")
                page.tap(f"#keyboard button:text-is('{character}')")
                page.tap("#keyboard button:has-text('abc')")
                continue
            if character != letter:
                page.tap("#keyboard button[aria-pressed]")
            page.tap(f"#keyboard button:text-is('{character}')")

    def with_errors(self):
        page = self.page(viewport={"width": 820, "height": 1180})
        for language in ["en", "ar"]:
            answer = page.goto(self.address(client_id="00000000-0000-0000-0000-000000000000", ui_locales=language))
            self.expect(answer.status == 400, f"an unknown client is answered with {answer.status}")
            self.judge(page, f"refused-{language}")
        page.context.close()


class App(http.server.BaseHTTPRequestHandler):
    """The app that people sign in to."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><html lang=en><title>App</title><p>Signed in.")

    def log_message(self, *arguments):
        pass


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def walk(browser):
        signin = SignIn(wanted, browser, f"http://localhost:{server.server_port}/")
        signin.run([signin.in_every_language, signin.without_scripts, signin.by_keyboard, signin.by_touch, signin.with_errors])
        return signin.faults

    print(json.dumps({"faults": with_chromium(walk, sys.argv[2:])}))


main()
