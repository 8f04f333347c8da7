# SPDX-License-Identifier: Apache-2.0
"""Prepares an organisation and its devices for shared device mode, over the HTTPS interface of administration, as an
application that acts for itself. Run it again at any time: what is already as wanted is not changed.

    prepare_shared_devices.py --url URL --ca FILE --client-id ID --key FILE --tenant DOMAIN PLAN

PLAN is a JSON file:

    {"joiner": {"userPrincipalName": …, "displayName": …, "password": …},
     "signInURLs": [URL, …], "profiles": [FILE, …], "offline": RULES or null,
     "app": BUNDLE IDENTIFIER, "devices": [NAME, …]}

The joiner gets the role Cloud Device Administrator, so that this person can join the devices. Each device gets the app
with its configuration `sharedDeviceMode`, and the profiles. A package can be added only on the server's machine, so the
app must be there already. Prints one line for each change.
"""
import argparse
import base64
import json
import pathlib
import time
import urllib.parse
import uuid

import jwt
import requests

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ROLE = "Cloud Device Administrator"
# The states of a command that a device has not refused.
LIVE = ("queued", "sent", "notNow", "acknowledged")


class Refused(Exception):
    """The server has refused a call."""


class Interface:
    """The HTTPS interface of administration."""

    def __init__(self, options):
        self.session = requests.Session()
        self.session.verify = options.ca
        # Only the named authority is trusted, whatever the environment says.
        self.session.trust_env = False
        self.url, self.tenant = options.url.rstrip("/"), options.tenant
        self.session.headers["Authorization"] = f"Bearer {self.token(options)}"

    def token(self, options):
        """Signs an assertion with the application's key, and gets a token for it (RFC 7523)."""
        metadata = self.session.get(f"{self.url}/.well-known/oauth-protected-resource").json()
        login = "/".join(metadata["authorization_servers"][0].split("/")[:3])
        endpoint = f"{login}/{self.tenant}/oauth2/v2.0/token"
        claims = {
            "iss": options.client_id, "sub": options.client_id, "aud": endpoint, "exp": int(time.time()) + 300,
            "jti": str(uuid.uuid4()),
        }
        form = {
            "grant_type": "client_credentials", "client_id": options.client_id,
            "scope": f"{metadata['resource']}/.default", "client_assertion_type": ASSERTION,
            "client_assertion": jwt.encode(claims, pathlib.Path(options.key).read_text(encoding="ascii"), "ES256"),
        }
        answer = self.session.post(endpoint, data=form)
        if answer.status_code != 200:
            raise Refused(f"no token: {answer.text}")
        return answer.json()["access_token"]

    def call(self, method, path, body=None, tag=None, missing=False):
        """Makes a call, and returns the answer. With `missing`, returns None if the object does not exist."""
        headers = {"If-Match": tag} if tag else {}
        if method == "POST":
            # If the connection fails, the same call can be sent again.
            headers["Idempotency-Key"] = str(uuid.uuid4())
        answer = self.session.request(
            method, self.url + path.format(tenant=self.tenant), json=body, headers=headers)
        if missing and answer.status_code == 404:
            return None
        if not answer.ok:
            raise Refused(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer


def quoted(name):
    return urllib.parse.quote(name, safe="")


def prepare_joiner(interface, joiner):
    path = f"/identity/tenants/{{tenant}}/users/{quoted(joiner['userPrincipalName'])}"
    if interface.call("GET", path, missing=True) is None:
        interface.call("POST", "/identity/tenants/{tenant}/users", joiner)
        print(f"added {joiner['userPrincipalName']}")
    if ROLE not in interface.call("GET", path).json()["roles"]:
        member = f"/identity/tenants/{{tenant}}/roles/{quoted(ROLE)}/members/{quoted(joiner['userPrincipalName'])}"
        interface.call("PUT", member)
        print(f"assigned {ROLE}")


def prepare_offline(interface, rules):
    path = "/identity/tenants/{tenant}/offline-sign-in"
    present = interface.call("GET", path)
    if present.json().get("rules") != rules:
        # Another administrator's change in between is not undone.
        interface.call("PUT", path, {"rules": rules}, tag=present.headers["ETag"])
        print("set offline sign-in")


def prepare_profiles(interface, plan):
    """Adds the profiles, and returns their identifiers. An unchanged profile is not stored again."""
    bodies = [{"sharedDevice": {"urls": plan["signInURLs"]}}]
    bodies += [{"file": base64.b64encode(pathlib.Path(file).read_bytes()).decode()} for file in plan["profiles"]]
    identifiers = []
    for body in bodies:
        profile = interface.call("POST", "/mdm/tenants/{tenant}/profiles?replace=true", body).json()
        identifiers.append(profile["identifier"])
        if profile["outcome"] != "unchanged":
            print(f"{profile['outcome']} {profile['identifier']}")
    return identifiers


def prepare_device(interface, name, app, profiles):
    path = f"/mdm/tenants/{{tenant}}/devices/{quoted(name)}"
    device, commands = interface.call("GET", path).json(), interface.call("GET", f"{path}/commands").json()

    def is_there(kind, subject, held):
        known = [c for c in commands if c["requestType"] == kind and (c.get("subject") or "").split(" ")[0] == subject]
        return subject in held or bool(known and known[0]["state"] in LIVE)

    if not is_there("InstallApplication", app, [held["identifier"] for held in device["apps"]]):
        interface.call("PUT", f"{path}/apps/{quoted(app)}", {"configuration": {"sharedDeviceMode": True}})
        print(f"{name}: {app}")
    for profile in profiles:
        if not is_there("InstallProfile", profile, [held["identifier"] for held in device["profiles"]]):
            interface.call("PUT", f"{path}/profiles/{quoted(profile)}")
            print(f"{name}: {profile}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--url", "--ca", "--client-id", "--key", "--tenant"):
        parser.add_argument(option, required=True)
    parser.add_argument("plan")
    options = parser.parse_args()
    plan = json.loads(pathlib.Path(options.plan).read_text(encoding="utf-8"))
    interface = Interface(options)
    prepare_joiner(interface, plan["joiner"])
    prepare_offline(interface, plan["offline"])
    profiles = prepare_profiles(interface, plan)
    for name in plan["devices"]:
        prepare_device(interface, name, plan["app"], profiles)


if __name__ == "__main__":
    main()
