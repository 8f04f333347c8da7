# SPDX-License-Identifier: Apache-2.0
"""Checks that every host name that a client uses leads to the server under test, and none to another machine."""
import requests

from baton_tests import document, facts, run


def refused(address):
    try:
        response = requests.get(address, timeout=60)
        return response.status_code == 403
    except requests.exceptions.ProxyError:
        return True


def case_names():
    own = document()
    assert own["issuer"] == f"{facts.login}/{facts.tenant}/v2.0"
    for host in ("login.microsoftonline.com", "login.windows.net"):
        assert document(base=f"https://{host}") == own, host
    assert requests.get("https://graph.microsoft.com/v1.0/me").status_code == 401
    assert requests.get(f"https://enterpriseregistration.windows.net/{facts.tenant}/Discover").status_code == 200
    assert refused("https://pypi.org/") and refused("http://login.microsoftonline.com/") and refused("https://10.0.0.1/")


run(globals())
