# SPDX-License-Identifier: Apache-2.0
"""Microsoft's msal-extensions for Python, unmodified: msal's tokens in the keyring of the person at the machine."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import msal
import requests

from baton_tests import Browser, document, end_with_parent, facts, graph, run

# The libsecret binding comes only from Debian, everything else from the environment, which is searched first.
sys.path.append("/usr/lib/python3/dist-packages")
import msal_extensions  # noqa: E402

SCOPES = ["User.Read"]
REDIRECT = "http://localhost:1"


@contextlib.contextmanager
def keyring():
    """Runs a session bus with an unlocked keyring, and yields the folder in which both keep their files."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=facts.folder))
    os.environ |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "XDG_DATA_HOME": str(folder)}
    with subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE,
        preexec_fn=end_with_parent, text=True) as bus:
        try:
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
            # The keyring goes to the background once it is ready, and ends with the bus.
            subprocess.run(
                ["gnome-keyring-daemon", "--unlock", "--components=secrets"], input=b"of the keyring", check=True,
                stdout=subprocess.DEVNULL)
            yield folder
        finally:
            bus.kill()


def application(folder, client=None):
    """A newly started program, which has only what is in the keyring."""
    persistence = msal_extensions.build_encrypted_persistence(str(folder / "cache"))
    assert persistence.is_encrypted
    return msal.PublicClientApplication(
        client or facts.client, authority=f"{facts.login}/{facts.tenant}", instance_discovery=False,
        token_cache=msal_extensions.PersistedTokenCache(persistence))


def signed_in(app, browser=None):
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
    result = app.acquire_token_by_auth_code_flow(
        flow, (browser or Browser()).sign_in(flow["auth_uri"], REDIRECT))
    assert graph(result["access_token"]).json()["userPrincipalName"] == facts.person("amara"), result
    return result


def silent(app, **options):
    accounts = app.get_accounts(facts.person("amara"))
    return app.acquire_token_silent_with_error(SCOPES, accounts[0], **options) if accounts else None


def in_the_clear(folder, *texts):
    """The files that contain one of the texts unencrypted."""
    return [
        str(file) for file in folder.rglob("*")
        if file.is_file() and any(text.encode() in file.read_bytes() for text in texts)]


def case_persisted():
    """Two programs share tokens, even refreshed ones, through the keyring, and no file contains a token unencrypted."""
    with keyring() as folder:
        first, browser = application(folder), Browser()
        result = signed_in(first, browser)
        used = result["refresh_token"]
        assert in_the_clear(folder, used, result["access_token"]) == []
        second = application(folder)
        assert silent(second)["access_token"] == result["access_token"]
        forced = silent(second, force_refresh=True)
        assert forced["token_source"] == "identity_provider", forced
        assert silent(first)["access_token"] == forced["access_token"], "the first program did not look again"
        assert graph(forced["access_token"]).status_code == 200
        assert in_the_clear(folder, forced["access_token"]) == []
        # Another application finds the account in the keyring, but its refresh token gets nothing there.
        other = application(folder, facts.web_client)
        kept = next(other.token_cache.search(msal.TokenCache.CredentialType.REFRESH_TOKEN))["secret"]
        assert kept != used, "the exchanged refresh token is not in the keyring"
        stolen = requests.post(document()["token_endpoint"], auth=(facts.web_client, facts.secret), data={
            "grant_type": "refresh_token", "refresh_token": kept, "scope": "User.Read"})
        assert stolen.json()["error_codes"] == [70000], stolen.text


def case_sign_out():
    """A sign-out in the browser ends the session for every program. Removing the account empties the keyring."""
    with keyring() as folder:
        app, browser = application(folder), Browser()
        result = signed_in(app, browser)
        answer = browser.session.get(
            document()["end_session_endpoint"], allow_redirects=False,
            params={"id_token_hint": result["id_token"], "post_logout_redirect_uri": "https://app.test/cb"})
        assert answer.status_code in (302, 303), answer.text
        other = application(folder)
        refused = silent(other, force_refresh=True)
        assert refused["error"] == "invalid_grant", refused
        assert graph(result["access_token"]).status_code == 401
        other.remove_account(other.get_accounts()[0])
        assert application(folder).get_accounts() == [] and silent(app) is None


def case_no_keyring():
    """Without a keyring, msal-extensions stores nothing, rather than store it unencrypted."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=facts.folder))
    os.environ |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/no"}
    try:
        application(folder)
        raise AssertionError("msal-extensions found a keyring")
    except RuntimeError as error:
        assert "libsecret" in str(error), error
    assert in_the_clear(folder, "") == []


run(globals())
