# SPDX-License-Identifier: Apache-2.0
"""Pages without a browser: loads them, reports what a person would see, and posts their forms.

Supports only what the pages of a sign-in need: redirects, a refresh by `<meta>`, cookies in memory, forms. Runs no
script, but posts a form that a script would post by itself. Understands the two options of Chromium with which a
sign-in reaches and trusts a server that is not public: --host-resolver-rules and --ignore-certificate-errors-spki-list.
"""
import base64
import hashlib
import html.parser
import http.client
import http.cookiejar
import re
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request

HOPS = 12  # the most pages in a row that continue by themselves
LONGEST = 1 << 20  # the most bytes of a page
PATIENCE = 60.0  # seconds for a page to load


class Elements(html.parser.HTMLParser):
    """The forms of a page, its alert, and the address to which it continues by itself."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.refresh, self.alert = [], None, ""
        self.posts_itself = "/submit-" in text
        self._is_alert = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.forms.append({"action": values.get("action", ""), "method": values.get("method", "get"), "fields": []})
        elif tag in ("input", "button") and self.forms:
            self.forms[-1]["fields"].append(values | {"tag": tag, "form": self.forms[-1]})
        elif tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.refresh = re.sub(r"^\s*\d+\s*;\s*url=", "", values.get("content", ""), flags=re.IGNORECASE)
        self._is_alert = values.get("role") == "alert"

    def handle_data(self, data):
        if self._is_alert:
            self.alert += data

    @property
    def fields(self):
        return [field for form in self.forms for field in form["fields"]]


class Pinned(http.client.HTTPSConnection):
    """A connection to the address that the rules give, to a server with one of the pinned keys."""

    def __init__(self, host, *, rules, pins, **others):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # `connect` checks the key.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(host, context=context, **others)
        self.rules, self.pins, self.tls = rules, pins, context

    def connect(self):
        address = next((to for suffix, to in self.rules if self.host.endswith(suffix)), self.host)
        self.sock = self.tls.wrap_socket(
            socket.create_connection((address, self.port), self.timeout), server_hostname=self.host)
        if pin(self.sock.getpeercert(binary_form=True)) not in self.pins:
            raise ssl.SSLError("the server has another key")


class PinnedHandler(urllib.request.HTTPSHandler):
    def __init__(self, rules, pins):
        super().__init__()
        self.rules, self.pins = rules, pins

    def https_open(self, request):
        return self.do_open(Pinned, request, rules=self.rules, pins=self.pins)


class FormBrowser:
    """The connections and cookies that the pages of one profile share."""

    def __init__(self, options):
        rules = re.findall(r"MAP \*(\S+) (\S+)", value(options, "--host-resolver-rules"))
        pins = value(options, "--ignore-certificate-errors-spki-list").split(",")
        # Uses no proxy. The environment's proxy is not meant for loopback addresses.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), PinnedHandler(rules, pins),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.opener.addheaders = [
            ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"), ("Accept", "text/html,*/*;q=0.8"),
            ("Accept-Language", "en")]


class FormPage:
    """One page, with the methods of a page in a browser (see `person.Page`)."""

    def __init__(self, browser):
        self.browser, self.url, self.elements = browser, "", Elements("")

    def call(self, method, url):
        """Opens `url`. No other method is supported."""
        assert method == "Page.navigate"
        return self.open(url)

    def next(self):
        """Returns what the page shows. The page was already loaded when `open` returned."""
        return self.look()

    def open(self, url, data=None):
        try:
            for _ in range(HOPS):
                self.get(url, data)
                url, data = self.onward()
                if not url:
                    return {}
            return {"errorText": "it goes on and on"}
        except (OSError, http.client.HTTPException) as error:
            return {"errorText": type(error).__name__}

    def get(self, url, data):
        if url.startswith("file:///"):
            with open(urllib.parse.unquote(url[len("file://"):]), encoding="utf-8") as file:
                self.url, self.elements = url, Elements(file.read())
            return
        request = urllib.request.Request(url, urllib.parse.urlencode(data).encode() if data is not None else None)
        if data is not None:
            request.add_header("Origin", "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(self.url)))
        try:
            response = self.browser.opener.open(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            response = error  # it also has a page
        with response:
            self.url, self.elements = response.geturl(), Elements(response.read(LONGEST).decode(errors="replace"))

    def onward(self):
        """Returns the address to which the page continues by itself, and the data to post; both None if the page does
        not continue."""
        if self.elements.refresh:
            return urllib.parse.urljoin(self.url, self.elements.refresh), None
        if self.elements.posts_itself and len(self.elements.forms) == 1:
            return self.target(self.elements.forms[0]), sent(self.elements.forms[0], None)
        return None, None

    def target(self, form):
        return urllib.parse.urljoin(self.url, form["action"])

    def look(self, wish=0):
        fields = [field for field in self.elements.fields if field.get("type") != "hidden" and "disabled" not in field]

        def first(word, number=0):
            found = [field for field in fields if word in field.get("autocomplete", "").split()]
            return place(found[number]) if len(found) > number else None

        buttons = [field for field in fields if field.get("type", "submit" if field["tag"] == "button" else "") == "submit"]
        return {
            "url": self.url, "username": first("username"), "password": first("current-password"),
            "wish": first("new-password", wish), "button": place(buttons[0]) if buttons else None,
            "refused": bool(self.elements.alert.strip()),
        }

    def type_into(self, there, text):
        there["field"]["value"] = text

    def click(self, there):
        form = there["field"]["form"]
        answer = self.open(self.target(form), sent(form, there["field"]))
        if answer.get("errorText"):
            raise RuntimeError(f"the page did not open: {answer['errorText']}")


def place(field):
    return {"field": field, "filled": field.get("value", "")}


def sent(form, pressed):
    """Returns what a form sends: its fields, and only the pressed one of its buttons."""
    return [
        (field["name"], field.get("value", "")) for field in form["fields"] if field.get("name") and "disabled" not in field
        and (field is pressed or field["tag"] == "input" and field.get("type") not in ("submit", "checkbox", "radio")
             or "checked" in field)]


def value(options, name):
    return next((option.split("=", 1)[1] for option in options if option.startswith(name + "=")), "")


def pin(certificate):
    """Returns base64 of the SHA-256 of a certificate's public key (RFC 5280 section 4.1: the seventh field)."""
    inside = certificate[element(certificate, 0)[0]:]
    start, end = element(inside, 0)
    signed, at = inside[start:end], 0
    for _ in range(6):
        at = element(signed, at)[1]
    return base64.b64encode(hashlib.sha256(signed[at:element(signed, at)[1]]).digest()).decode()


def element(der, at):
    """Returns where the content of the DER element at `at` begins, and where the element ends."""
    length, start = der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(der[start:start + count], "big"), start + count
    return start, start + length
