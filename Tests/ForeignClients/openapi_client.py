# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI documents of the administration, read by openapi-spec-validator, and schemathesis, which calls the
operations of the HTTPS listener's document: with the tokens of people with each role, with that of an application, and
without a token.

schemathesis checks every answer against the document: its status, its media type, its header fields, its body and the
code of its refusal. A check of this script holds the answers against the roles and permissions that the document names.
"""
import collections
import os
import random
import urllib.parse

import openapi_spec_validator
import requests
import schemathesis
import schemathesis.cli
from schemathesis.core.parameters import ParameterLocation

from baton_tests import Application, administer, code_tokens, create, facts, read, run

ADMINISTRATION_CLIENT = "b7a70000-0000-4000-8000-00000000ad02"
DOCUMENT = f"{facts.administration}/openapi.json"
SEED = 20260101
IS_SOAK = bool(os.environ.get("BATON_SOAK"))

# Checks of schemathesis that do not fit. Many requests of the right form name nothing that exists, or break rules that no
# schema can say (positive_data_acceptance). The tokens are not those of one caller (ignored_auth).
UNFIT = "positive_data_acceptance,ignored_auth"


def case_documents():
    """Both documents are valid, and describe the same operations. The one of the HTTPS listener needs no token."""
    answer = requests.get(DOCUMENT)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json", answer.text
    remote, local = answer.json(), read("/openapi.json")
    for document in (remote, local):
        openapi_spec_validator.validate(document)
    assert operations(remote).keys() == operations(local).keys()
    metadata = requests.get(f"{facts.administration}/.well-known/oauth-protected-resource").json()
    flow = remote["components"]["securitySchemes"]["person"]["flows"]["authorizationCode"]
    assert sorted(flow["scopes"]) == sorted(metadata["scopes_supported"]), flow
    assert metadata["resource"] == remote["servers"][0]["url"] == facts.administration
    assert flow["authorizationUrl"].startswith(metadata["authorization_servers"][0].removesuffix("/v2.0"))
    for name, operation in operations(remote).items():
        if operation.get("x-baton-interface") == "socket":
            assert not [status for status in operation["responses"] if status < "400"], name
            assert "security" not in operations(local)[name], name


def operations(document):
    """The operations of a document, by their names."""
    return {
        operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


class Caller:
    """A person with a role, an application with a permission of its own, or nobody."""

    def __init__(self, token=None, role=None, permission=None):
        self.token, self.role, self.permission = token, role, permission
        self.statuses = collections.Counter()
        self.served = set()

    def __str__(self):
        return self.role or self.permission or "nobody"

    def may(self, operation):
        """Whether the document says that this caller may call an operation."""
        if not operation["security"]:
            return True
        if self.permission:
            return any(self.permission in way.get("application", []) for way in operation["security"])
        return self.role in operation.get("x-baton-roles", [])


def person(role, number=0):
    """Adds a person with a role, and signs them in."""
    name = f"{role.lower().replace(' ', '-')}-{number}"
    create("tenants/-/users", {
        "userPrincipalName": facts.person(name), "displayName": role, "password": facts.password})
    administer("PUT", f"tenants/-/roles/{urllib.parse.quote(role)}/members/{facts.person(name)}")
    answer = code_tokens(
        ADMINISTRATION_CLIENT, f"{facts.administration}/.default", redirect="http://127.0.0.1:1", name=name)
    return Caller(answer["access_token"], role=role)


def application(permission):
    """Registers an application with a permission of its own, and gets its token."""
    registered = Application(permission)
    registered.grant()
    return Caller(registered.token(), permission=permission)


def objects(label):
    """Adds objects for the calls, which may change and remove them. Returns their names by placeholder."""
    names = collections.defaultdict(list, tenant=["-", facts.domain, facts.tenant], role=["Directory Readers"])
    urls = {"sharedDevice": {"urls": [f"https://{label}.test"]}}
    names["profile"].append(create("tenants/-/profiles", urls, engine="mdm")["identifier"])
    for number in range(8 if IS_SOAK else 4):
        name = f"{label}-{number}"
        user = create("tenants/-/users", {
            "userPrincipalName": facts.person(name), "displayName": name, "password": facts.password})
        names["user"] += [user["id"], user["userPrincipalName"]]
        group = create("tenants/-/groups", {"displayName": name, "mailNickname": name})
        names["group"] += [group["id"], group["displayName"]]
        client = create("tenants/-/clients", {
            "displayName": name, "redirectURIs": ["https://app.test/cb"], "isConfidential": True})
        names["client"] += [client["id"], client["displayName"]]
        names["enrollment"].append(create("tenants/-/enrollments", {"name": name}, engine="mdm")["id"])
    return names


class Run:
    """One run of schemathesis."""

    def __init__(self, callers, label):
        self.callers, self.names, self.random = callers, objects(label), random.Random(SEED)
        self.by_token = {caller.token and f"Bearer {caller.token}": caller for caller in callers}
        self.statuses = collections.defaultdict(collections.Counter)

    def prepare(self, case):
        """Chooses the caller of a call, in half of the calls one that may make it, and names objects that exist in most of
        the calls whose path has the right form."""
        operation, draw = case.operation.definition.raw, self.random
        able = [caller for caller in self.callers if caller.may(operation)]
        caller = draw.choice(able if able and draw.random() < 0.5 else self.callers)
        case.headers.pop("Authorization", None)
        if caller.token:
            case.headers["Authorization"] = f"Bearer {caller.token}"
        case.headers["User-Agent"] = str(caller)  # is in the report, in which schemathesis hides the token
        if case.meta is not None and case.meta.is_negative_at(ParameterLocation.PATH):
            return
        for name in case.path_parameters or ():
            if self.names[name] and draw.random() < 0.8:
                case.path_parameters[name] = draw.choice(self.names[name])

    def note(self, case, response):
        caller = self.caller(response)
        identifier = case.operation.definition.raw["operationId"]
        self.statuses[identifier][response.status_code] += 1
        caller.statuses[response.status_code] += 1
        if response.status_code < 300:
            caller.served.add(identifier)

    def caller(self, response):
        return self.by_token[response.request.headers.get("Authorization")]

    def execute(self, phases, examples):
        """Runs schemathesis as its command line does. It must find nothing, and must have called every operation."""
        global current
        current = self
        os.chdir(facts.folder)  # its reports
        code = 0
        try:
            schemathesis.cli.schemathesis.main([
                "run", DOCUMENT, "--phases", phases, "--max-examples", str(examples), "--seed", str(SEED),
                "--generation-database", "none", "--generation-with-security-parameters", "false",
                "--exclude-checks", UNFIT, "--suppress-health-check", "all", "--continue-on-failure", "--warnings", "off",
                "--tls-verify", facts.root, "--request-timeout", "60", "--no-color"], prog_name="schemathesis")
        except SystemExit as end:
            code = end.code
        for caller in self.callers:
            print(f"{caller}: {len(caller.served)} operations served;", dict(caller.statuses))
        assert not code, "schemathesis found something"
        # schemathesis has read the document itself, and has nothing to vary in this call.
        missing = operations(requests.get(DOCUMENT).json()).keys() - self.statuses.keys() - {"getOpenAPI"}
        assert not missing, missing


current = None


@schemathesis.hook
def before_call(context, case, kwargs):
    current.prepare(case)


@schemathesis.hook
def after_call(context, case, response):
    current.note(case, response)


@schemathesis.check
def acts_need_their_role(context, response, case):
    """Only a caller with the role or the permission is served, and such a caller is not refused for lack of one."""
    if case.method.lower() != case.operation.method.lower():
        return  # schemathesis tries another method
    caller, operation = current.caller(response), case.operation.definition.raw
    if response.status_code < 300:
        assert caller.may(operation), f"{caller} was served"
    elif response.status_code in (401, 403) and caller.may(operation) and caller.token:
        code = response.json()["error"]["code"]
        assert code not in ("admin.role", "admin.permission", "admin.socketOnly"), f"{caller}: {code}"


def case_everybody():
    """Callers with each role of the server, an application, and callers without a token."""
    roles = [role["displayName"] for role in read("/identity/tenants/-/roles")]
    callers = [person(role) for role in roles] + [application("User.ReadWrite.All"), Caller()]
    assert len(callers) == 14, roles
    Run(callers, "everybody").execute("fuzzing", 200 if IS_SOAK else 12)
    powerless = {"Reports Reader", "Directory Readers", "Security Administrator", "Security Reader", "nobody"}
    for caller in callers:
        assert caller.statuses[401] + caller.statuses[403] > 0, caller
        # Everybody may read the document.
        assert len(caller.served - {"getOpenAPI"}) > 0 or str(caller) in powerless, caller


def case_global_administrators():
    """Callers who may do everything, with the limits of every parameter and member. One alone would call too often."""
    callers = [person("Global Administrator", number) for number in range(1, 5)]
    Run(callers, "administrators").execute("coverage,fuzzing,stateful" if IS_SOAK else "coverage", 100)
    assert len(set.union(*(caller.served for caller in callers))) > 30


run(globals())
