# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: the facts of the server under test, a person at a browser without scripts, and
a judge of id tokens that trusts no client's own judgement.

A script has functions called `case_…`; `run(globals())` runs the one that the command line names. It ends with 0 only
where every statement of it held. The facts come as the path of a JSON file in BATON_FACTS.
"""
import contextlib
import html.parser
import http.client
import json
import os
import socket
import sys
import time
import urllib.parse

import jwt
import requests


class Facts:
    """The server under test."""

    def __init__(self):
        with open(os.environ["BATON_FACTS"], encoding="utf-8") as file:
            self.__dict__.update(json.load(file))

    def person(self, name):
        """The user name of one of the organisation's people."""
        return f"{name}@{self.domain}"


facts = Facts()


def run(scope):
    name = sys.argv[1]
    scope["case_" + name]()
    print("case held:", name, flush=True)


@contextlib.contextmanager
def clock_off(seconds):
    """The client's machine has a clock that is wrong by so much; the server's goes right."""
    right = time.time
    time.time = lambda: right() + seconds
    try:
        yield
    finally:
        time.time = right


class Forms(html.parser.HTMLParser):
    """The forms and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.links, self.alert = [], [], None
        self._alert = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.forms.append({"action": values.get("action", ""), "fields": {}})
        elif tag in ("input", "button") and self.forms and values.get("name"):
            # Of several buttons a person presses one: the first, unless told otherwise.
            fields = self.forms[-1]["fields"]
            if tag == "input" or values["name"] not in fields:
                fields[values["name"]] = values.get("value") or ""
        elif tag == "a":
            self.links.append(values.get("href"))
        self._alert = values.get("role") == "alert"

    def handle_data(self, data):
        if self._alert and data.strip():
            self.alert = (self.alert or "") + data


class Browser:
    """A browser that keeps cookies and goes where it is sent, until an address of the application comes up."""

    def __init__(self):
        self.session = requests.Session()
        self.pages = []

    def open(self, url, until, method="GET", data=None):
        """Goes on to the first page, or to the first address that begins with `until`, whose fields it returns."""
        for _ in range(12):
            if url.startswith(until):
                query = urllib.parse.urlsplit(url)
                return dict(urllib.parse.parse_qsl(query.query or query.fragment))
            response = self.session.request(method, url, data=data, allow_redirects=False)
            if response.status_code not in (302, 303):
                self.page, self.url = response, url
                return self.repeated(until)
            url, method, data = urllib.parse.urljoin(url, response.headers["Location"]), "GET", None
        raise AssertionError("the browser is sent around in circles")

    def repeated(self, until):
        """A form that a script would post by itself is posted; what is for the application, its fields are returned."""
        forms = Forms(self.page.text).forms
        if "submit()" not in self.page.text or len(forms) != 1:
            return None
        target = urllib.parse.urljoin(self.url, forms[0]["action"])
        if target.startswith(until):
            return forms[0]["fields"]
        return self.open(target, until, "POST", forms[0]["fields"])

    def submit(self, until, **changes):
        """Fills in the first form of the page and presses its button."""
        form = Forms(self.page.text).forms[0]
        return self.open(urllib.parse.urljoin(self.url, form["action"]), until, "POST", form["fields"] | changes)

    def sign_in(self, url, until, name="amara"):
        """Opens an address, signs in there, and returns what came back to the application."""
        returned = self.open(url, until)
        assert returned is None, "signed in without being asked"
        returned = self.submit(until, username=facts.person(name), password=facts.password)
        assert returned is not None, f"still on a page: {Forms(self.page.text).alert}"
        return returned


def document(tenant=None, base=None):
    """The discovery document."""
    address = f"{base or facts.login}/{tenant or facts.tenant}/v2.0/.well-known/openid-configuration"
    response = requests.get(address)
    assert response.status_code == 200, response.text
    return response.json()


def judged(id_token, client, **claims):
    """The claims of an id token after signature, issuer, audience and time were judged here, and `claims` compared."""
    found = document()
    keys = jwt.PyJWKSet.from_dict(requests.get(found["jwks_uri"]).json())
    header = jwt.get_unverified_header(id_token)
    said = jwt.decode(
        id_token, keys[header["kid"]].key, algorithms=found["id_token_signing_alg_values_supported"], audience=client,
        issuer=found["issuer"], options={"require": ["exp", "iat", "iss", "aud", "sub"]})
    for name, value in claims.items():
        assert said.get(name) == value, f"{name} is {said.get(name)!r}"
    return said


def graph(token, path="/v1.0/me"):
    """Graph's answer for an access token."""
    return requests.get(facts.graph + path, headers={"Authorization": f"Bearer {token}"})


def administer(method, path, body):
    """A call on the server's administration socket."""
    connection = http.client.HTTPConnection("server")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(facts.admin)
    connection.request(method, f"/identity/{path}", json.dumps(body), {"Connection": "close"})
    answer = connection.getresponse()
    assert answer.status == 204, answer.read()
