# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI documents of the administration, read by openapi-spec-validator, and schemathesis, which calls the
operations of the HTTPS listener's document with the token of each role, of an application, and without a token.

schemathesis checks every answer against the document: its status, its media type, its header fields, its body and the
code of its refusal. A check of this script holds the answers against the roles and permissions that the document names.
"""
import collections
import contextlib
import json
import os
import random
import urllib.parse

import openapi_spec_validator
import requests
import schemathesis
import schemathesis.cli

from baton_tests import Application, administer, code_tokens, create, facts, read, run

ADMINISTRATION_CLIENT = "b7a70000-0000-4000-8000-00000000ad02"
SEED = 20260101
EXAMPLES = 30 if os.environ.get("BATON_SOAK") else 2
DOCUMENT = f"{facts.administration}/openapi.json"

# Two of schemathesis's checks do not fit: many requests of the right form name nothing that exists, or are refused by
# rules that a schema cannot say (positive_data_acceptance), and the server reads only JSON, whatever a request calls it.
UNFIT = "positive_data_acceptance"
# A wrong token is refused with 429 instead of 401 after 60 wrong ones in a minute, so one case tries wrong tokens.
WRONG_TOKENS = "ignored_auth"


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
        if operation.get("x-baton-door") == "socket":
            assert not [status for status in operation["responses"] if status < "400"], name
            assert "security" not in operations(local)[name], name


def operations(document):
    return {
        operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


class Caller:
    """Who calls, and the answers so far."""

    def __init__(self, token=None, role=None, permission=None):
        self.token, self.role, self.permission = token, role, permission
        self.random = random.Random(SEED)
        self.statuses = collections.defaultdict(collections.Counter)

    def may(self, operation):
        """Whether the document says that this caller may call an operation."""
        if operation.get("security") == []:
            return True
        if self.permission:
            return any(self.permission in way.get("application", []) for way in operation["security"])
        return self.role in operation.get("x-baton-roles", [])


caller = Caller()


def person(role):
    """Adds a person with a role, and signs them in."""
    name = role.lower().replace(" ", "-")
    create("tenants/-/users", {
        "userPrincipalName": facts.person(name), "displayName": role, "password": facts.password})
    administer("PUT", f"tenants/-/roles/{urllib.parse.quote(role)}/members/{facts.person(name)}", {})
    answer = code_tokens(
        ADMINISTRATION_CLIENT, f"{facts.administration}/.default", redirect="http://127.0.0.1:1", name=name)
    return Caller(answer["access_token"], role=role)


def application(permission):
    """Registers an application with a permission of its own, and gets its token."""
    registered = Application(permission)
    registered.grant()
    return Caller(registered.token(), permission=permission)


class Known:
    """Names of objects for the calls. Each object is only for these, so a call may change or remove it."""

    def __init__(self, label):
        self.names = collections.defaultdict(list)
        self.names["tenant"] = ["-", facts.domain, facts.tenant]
        self.names["role"] = ["Directory Readers"]
        for number in range(3):
            name = f"{label}-{number}"
            user = create("tenants/-/users", {
                "userPrincipalName": facts.person(name), "displayName": name, "password": facts.password})
            self.names["user"] += [user["id"], user["userPrincipalName"]]
            group = create("tenants/-/groups", {"displayName": name, "mailNickname": name, "description": None})
            self.names["group"] += [group["id"], group["displayName"]]
            client = create("tenants/-/clients", {
                "displayName": name, "redirectURIs": ["https://app.test/cb"], "isConfidential": True})
            self.names["client"] += [client["id"], client["displayName"]]
            enrollment = create("tenants/-/enrollments", {"name": name}, engine="mdm")
            self.names["enrollment"].append(enrollment["id"])
            urls = {"sharedDevice": {"urls": [f"https://{label}.test"]}}
            profile = create("tenants/-/profiles", urls, engine="mdm") if number == 0 else profile
            self.names["profile"] += [profile["identifier"]]


known = None


@schemathesis.hook
def before_call(context, case, kwargs):
    """Names objects that exist in most of the calls whose path has the right form."""
    is_wrong = case.meta is not None and case.meta.is_negative_at(schemathesis.core.parameters.ParameterLocation.PATH)
    for name in case.path_parameters if known and case.path_parameters and not is_wrong else ():
        if known.names[name] and caller.random.random() < 0.8:
            case.path_parameters[name] = caller.random.choice(known.names[name])


@schemathesis.hook
def after_call(context, case, response):
    caller.statuses[case.operation.definition.raw["operationId"]][response.status_code] += 1


@schemathesis.check
def acts_need_their_role(context, response, case):
    """Only a caller with the role or the permission is served, and such a caller is not refused for lack of one."""
    operation = case.operation.definition.raw
    if case.method.lower() != case.operation.method.lower():
        return  # schemathesis tries another method
    if response.status_code < 300:
        assert caller.may(operation), f"{operation['operationId']} served"
    elif response.status_code in (401, 403) and caller.may(operation) and caller.token:
        code = response.json()["error"]["code"]
        assert code not in ("admin.role", "admin.permission", "admin.socketOnly"), f"{operation['operationId']}: {code}"


def examined(new, examples, *, phases="coverage,fuzzing", served=0):
    """Runs schemathesis as its command line does. It must find nothing.

    Every operation must have been called, and so many of them must have succeeded.
    """
    global caller, known
    caller, known = new, Known((new.role or new.permission or "nobody").lower().replace(" ", "-").replace(".", "-"))
    arguments = [
        "run", DOCUMENT, "--phases", phases, "--max-examples", str(examples), "--seed", str(SEED), "--no-color",
        "--generation-database", "none", "--tls-verify", facts.root, "--request-timeout", "60",
        "--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure", "--rate-limit", "1000/m",
        "--exclude-checks", UNFIT if new.role == "Global Administrator" else f"{UNFIT},{WRONG_TOKENS}"]
    if new.token:
        arguments += ["--header", f"Authorization: Bearer {new.token}"]
    with contextlib.suppress(SystemExit) as end, contextlib.chdir(facts.folder):
        end = schemathesis.cli.schemathesis.main(arguments, standalone_mode=False)
    assert not end, "schemathesis found something"
    document = requests.get(DOCUMENT).json()
    missing = operations(document).keys() - caller.statuses.keys()
    assert not missing, missing
    succeeded = [name for name, statuses in caller.statuses.items() if any(status < 300 for status in statuses)]
    assert len(succeeded) >= served, sorted(succeeded)
    print(len(succeeded), "operations served;", sum(map(collections.Counter.total, caller.statuses.values())), "calls")


def case_nobody():
    examined(Caller(), EXAMPLES, served=1)


def case_application():
    examined(application("User.ReadWrite.All"), EXAMPLES, served=4)


def case_roles():
    """Each role that the server has is the caller of one of the cases."""
    served = {role["displayName"] for role in read("/identity/tenants/-/roles")}
    assert served == set(ROLES), served ^ set(ROLES)


# The roles, with how many operations must have succeeded at least once, so that not everything is refused.
ROLES = {
    "Global Administrator": 30, "Global Reader": 15, "Cloud Device Administrator": 2, "Directory Readers": 1,
    "Helpdesk Administrator": 4, "Intune Administrator": 6, "Privileged Role Administrator": 2,
    "Security Administrator": 1, "Security Reader": 1, "User Administrator": 8}

for role, served in ROLES.items():
    def case(role=role, served=served):
        examined(person(role), EXAMPLES, served=served)
    globals()["case_" + role.lower().replace(" ", "_")] = case

run(globals())
