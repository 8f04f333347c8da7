# SPDX-License-Identifier: Apache-2.0
"""Debian's libapache2-mod-auth-openidc in a real Apache on loopback, as a relying party of our server."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import requests

from baton_tests import Browser, end_with_parent, facts, run

MODULES = "/usr/lib/apache2/modules"
PROGRAM = "/usr/sbin/apache2"
CONFIGURATION = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
LogLevel warn auth_openidc:info
{user}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule status_module {modules}/mod_status.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
OIDCProviderMetadataURL {login}/{tenant}/v2.0/.well-known/openid-configuration
OIDCClientID {client}
{secret}
OIDCRedirectURI http://localhost:{port}/ward/callback
OIDCCryptoPassphrase of-this-test-alone
OIDCPKCEMethod S256
OIDCScope "openid profile email"
OIDCResponseMode {mode}
OIDCRemoteUserClaim preferred_username
OIDCPassClaimsAs headers
OIDCCABundlePath {folder}/root.pem
OIDCOutgoingProxy {proxy}
<Location /ward>
    AuthType openid-connect
    Require valid-user
    SetHandler server-status
    Header always set X-User "expr=%{{REMOTE_USER}}"
    Header always set X-Session "expr=%{{req:OIDC_CLAIM_sid}}"
</Location>
<Location /bye>
    Require all granted
    SetHandler server-status
</Location>
"""


@contextlib.contextmanager
def apache(mode="query"):
    """Runs Apache in one process and yields its address."""
    folder = tempfile.mkdtemp(prefix="apache-", dir=facts.folder)
    # If root starts Apache, it switches to another user, who must be able to read its folder.
    os.chmod(facts.folder, 0o711)
    os.chmod(folder, 0o755)
    shutil.copy(facts.root, folder)
    os.chmod(folder + "/root.pem", 0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    secret = getattr(facts, "secret", None)
    with open(folder + "/httpd.conf", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(
            folder=folder, port=port, modules=MODULES, login=facts.login, tenant=facts.tenant, mode=mode,
            client=facts.web_client if secret else facts.client,
            secret=f"OIDCClientSecret {secret}" if secret else "OIDCProviderTokenEndpointAuth none",
            proxy=urllib.parse.urlsplit(facts.proxy).netloc,
            user="User www-data\nGroup www-data" if os.geteuid() == 0 else ""))
    with subprocess.Popen(
        [PROGRAM, "-X", "-f", folder + "/httpd.conf"], preexec_fn=end_with_parent, stdin=subprocess.DEVNULL) as program:
        try:
            wait(port, program)
            yield f"http://localhost:{port}"
        except BaseException:
            with open(folder + "/error.log", encoding="utf-8", errors="replace") as log:
                sys.stderr.write(log.read()[-4000:])
            raise
        finally:
            program.kill()


def wait(port, program):
    """Waits until Apache accepts connections."""
    end = time.monotonic() + 30
    while time.monotonic() < end and program.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("Apache does not serve")


class Visitor(Browser):
    """A browser that reaches Apache without the proxy, because the proxy connects only to our server."""

    def __init__(self):
        super().__init__()
        self.session.mount("http://localhost", requests.adapters.HTTPAdapter())
        self.session.trust_env = False
        self.session.verify = facts.root
        self.session.proxies = {"https": facts.proxy}


def open_page(browser, address, until="http://never.test/"):
    browser.open(address, until)
    return browser.page


def signed_in(browser, base, name="amara"):
    """Opens the protected page and signs in. Returns the page that follows."""
    page = open_page(browser, base + "/ward/patients")
    assert "password" in page.text, page.text
    browser.submit("http://never.test/", username=facts.person(name), password=facts.password)
    return browser.page


def case_sign_in():
    with apache() as base:
        browser = Visitor()
        page = signed_in(browser, base)
        assert page.status_code == 200, (page.status_code, page.text)
        assert browser.url == base + "/ward/patients", browser.url
        assert page.headers["X-User"] == facts.person("amara"), page.headers
        assert page.headers["X-Session"], page.headers
        # Another browser is not signed in.
        assert "password" in open_page(Visitor(), base + "/ward/patients").text


def case_form_post():
    with apache("form_post") as base:
        page = signed_in(Visitor(), base, "bo")
        assert page.status_code == 200 and page.headers["X-User"] == facts.person("bo"), page.headers


def case_sign_out():
    with apache() as base:
        browser = Visitor()
        signed_in(browser, base)
        # The module ends its own session and sends our server the id token and the address to return to.
        page = open_page(browser, f"{base}/ward/callback?logout={urllib.parse.quote(base + '/bye')}")
        assert browser.url == base + "/bye" and page.status_code == 200, (browser.url, page.text)
        assert "password" in open_page(browser, base + "/ward/patients").text, "still signed in"


def case_refusals():
    with apache() as base:
        browser = Visitor()
        assert "password" in open_page(browser, base + "/ward/patients").text
        # Two answers with a made-up state: an answer with a made-up code, and an answer with an error.
        for query in ("code=1.x.y&state=made-up", "error=access_denied&state=made-up"):
            answer = browser.session.get(f"{base}/ward/callback?{query}", allow_redirects=False)
            assert answer.status_code == 400, (query, answer)
            assert "password" in open_page(browser, base + "/ward/patients").text, query


if sys.argv[1] == "--serve":
    # For the worker's browser of a live device: writes the address into a file, and serves until it is killed.
    with apache() as address:
        with open(sys.argv[2], "w", encoding="utf-8") as place:
            place.write(address + "\n")
        signal.pause()
else:
    run(globals())
