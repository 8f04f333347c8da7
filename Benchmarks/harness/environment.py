# SPDX-License-Identifier: Apache-2.0
"""An environment for benchmarks: `baton-dev up` with a release build, its device joined, and further apps."""
import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RELEASE = ROOT / ".build-benchmark/release"
PRODUCTS = ["batond", "baton", "baton-dev", "baton-server", "baton-agent", "baton-helper", "baton-browser-host",
            "device-benchmark"]
DOMAIN = "seaview.baton.test"
DEVICE = "ward-7-tablet"
PATIENCE = 120.0  # seconds for any single command


def build(products=None):
    """Builds programs; by default those of a device and a server, and the device's benchmark. Returns their folder."""
    for product in products or PRODUCTS:
        subprocess.run(
            [ROOT / "scripts/swift", "build", "-c", "release", "--scratch-path", ROOT / ".build-benchmark", "--product",
             product], check=True, stdout=sys.stderr, env=os.environ | {"BATON_BENCH": "1"})
    return RELEASE


def install(**packages):
    """Installs the Debian packages whose programs (the names of the arguments) are missing."""
    missing = [package for program, package in packages.items() if not shutil.which(program.replace("_", "-"))]
    if not missing:
        return
    print(f"benchmark: installing {' '.join(missing)}", file=sys.stderr)
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    for words in (["apt-get", "update", "-qq"],
                  ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq",
                   "--no-install-recommends", *missing]):
        subprocess.run([*sudo, *words], check=True, stdout=sys.stderr)


def end_with_parent():
    """Makes the kernel kill this process when the thread that started it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@contextlib.contextmanager
def awake(processors):
    """Keeps processors from sleeping: on each of them, a process runs when nothing else wants to (SCHED_IDLE).

    A virtual machine's processor goes to sleep when it has waited for a time that the host chooses, and a sleeping
    processor reacts later. A round trip of 16 µs keeps both processors awake, but one of 60 µs does not, so the ratio
    of these two durations would depend on the host.

    The processes yield every ten microseconds. If a process only computed, the kernel's scheduler would sometimes let
    it run until the next tick (4 ms) although a thread of the app had been woken up: a thread that has just had more
    than its share does not preempt another. In an app with three threads, this happened to one call in a hundred.
    """
    def begin(processor):
        end_with_parent()
        os.sched_setaffinity(0, {processor})
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    with contextlib.ExitStack() as running:
        for processor in processors:
            spinning = subprocess.Popen(
                [sys.executable, "-c", "import os\nwhile True:\n for _ in range(500): pass\n os.sched_yield()"],
                preexec_fn=lambda: begin(processor))
            running.callback(spinning.wait)
            running.callback(spinning.kill)
        yield


def children(process, name=None):
    """The children of a process; with a name, only those that run this program."""
    tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
    found = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [child for child in found
            if name is None or pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name]


def proportional_memory(process):
    """Megabytes of private memory, and of the process's share of shared memory."""
    text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def administer(path, method, resource, body=None):
    """Sends a request to the server's administration socket. Returns what it answers."""
    connection = http.client.HTTPConnection("server", timeout=PATIENCE)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(PATIENCE)
    connection.sock.connect(str(path))
    connection.request(method, resource, body and json.dumps(body), {"Connection": "close"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{method} {resource}: {answer.status} {text}")
    return json.loads(text) if text else None


class LocalEnvironment:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        arguments = [
            programs / "baton-dev", "up", "--json", "--directory", folder, "--person", ROOT / "Tests/Person/person.py",
            "--unjoined", "--sample", programs / "baton", "--ward-round", programs / "baton"]
        self.up = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        events = []
        for line in self.up.stdout:
            events.append(line)
            if json.loads(line)["event"] == "ready":
                break
        else:
            raise SystemExit(f"the environment does not come up:\n{''.join(events)}")
        self.facts = json.loads((folder / "environment.json").read_text())
        self.login = f"https://login.baton.test:{self.facts['port']}"
        self.authority = f"{self.login}/{self.facts['tenantID']}"
        self.apps = self.facts["apps"]
        # The benchmark acts as the sample apps. The agent could not end the benchmark, which has started the agent.
        for app in self.apps[:3]:
            self._push(app["bundleID"], app["clientID"])
        self.check_in()

    # The people

    def seat(self, name):
        person = self.person(name)
        seated = {
            "username": person["userName"], "password": person["password"], "wrongPasswordFirst": False,
            "closeInsteadOfSignIn": False, "withoutBrowser": True}
        (self.folder / "configuration/person.json").write_text(json.dumps(seated))

    def person(self, name):
        return next(person for person in self.facts["people"] if person["givenName"] == name)

    def baton(self, *words):
        arguments = [self.programs / "baton", *words, "--runtime-directory", self.folder / "run"]
        outcome = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if outcome.returncode:
            raise SystemExit(f"baton {' '.join(words)}: {outcome.stdout}{outcome.stderr}")

    def join(self):
        """Carol joins the device. Then Amara is the person at the browser."""
        self.seat("Carol")
        self.baton(
            "device", "join", "--login", self.login, "--registration",
            f"https://enterpriseregistration.baton.test:{self.facts['port']}", "--tenant", DOMAIN, "--name", DEVICE)
        self.seat("Amara")

    def sign_in(self):
        self.baton("account", "sign-in")

    def sign_out(self):
        self.baton("account", "sign-out")

    # The server

    def administer(self, method, resource, body=None):
        return administer(self.folder / "server/admin.sock", method, resource, body)

    def install(self, count, folders=None):
        """Has the MDM install `count` further apps, each with a client of its own. If `folders` is set, each app
        has a data folder there. Returns the apps."""
        package = self.folder / "packages/of-many-apps"
        shutil.copy("/usr/bin/true", package)
        apps = []
        for number in range(1, count + 1):
            bundle, client = f"org.baton.benchmark.app{number}", str(uuid.uuid4())
            app = {"clientID": client, "bundleID": bundle, "redirectURI": f"msauth.{bundle}://auth"}
            more = {}
            if folders:
                data = folders / f"app{number}"
                data.mkdir(parents=True)
                more["dataFolders"] = app["dataFolders"] = [str(data)]
            self.administer("POST", "/identity/tenants/-/clients", {
                "id": client, "displayName": bundle, "redirectURIs": [app["redirectURI"]]})
            self.administer("POST", "/mdm/tenants/-/apps", {
                "path": str(package), "bundleIdentifier": bundle, "version": "1.0", "title": bundle})
            self._push(bundle, client, **more)
            apps.append(app)
        self.check_in()
        return apps

    def _push(self, bundle, client, **more):
        self.administer("PUT", f"/mdm/tenants/-/devices/{DEVICE}/apps/{bundle}", {
            "configuration": {"clientId": client, "redirectUri": f"msauth.{bundle}://auth"} | more})

    def check_in(self):
        """Has the device carry out the commands that the MDM has queued for it."""
        end = time.monotonic() + PATIENCE
        while self.administer("GET", f"/mdm/tenants/-/devices/{DEVICE}")["waiting"]:
            if time.monotonic() > end:
                raise SystemExit("the device does not install the apps")
            self.baton("device", "check-in")
        failed = [command for command in self.administer("GET", f"/mdm/tenants/-/devices/{DEVICE}/commands")
                  if command["state"] != "acknowledged"]
        if failed:
            raise SystemExit(f"the device did not install every app: {failed[0]}")

    def configuration(self, app):
        """What device-benchmark reads about an app."""
        return {"clientId": app["clientID"], "redirectUri": app.get("redirectURI", f"msauth.{app['bundleID']}://auth"),
                "authority": self.authority, "scopes": ["User.Read"]}

    # The processes

    @property
    def supervisor(self):
        found = children(self.up.pid, "batond")
        if len(found) != 1:
            raise SystemExit(f"one supervisor was expected, not {found}")
        return found[0]

    @property
    def session_process(self):
        found = children(self.supervisor)
        if len(found) != 1:
            raise SystemExit(f"one session process was expected, not {found}")
        return found[0]

    def pin_broker(self, processor):
        """Moves the supervisor and the session process to one processor; their later threads inherit it."""
        for process in [self.supervisor, self.session_process]:
            for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {processor})

    def app_command(self, *words):
        return [self.programs / "device-benchmark", *map(str, words)]

    @property
    def app_environment(self):
        return os.environ | {"BATON_SOCKET": str(self.folder / "run/broker.sock")}

    def end(self):
        self.up.send_signal(signal.SIGTERM)
        self.up.communicate(timeout=PATIENCE)


@contextlib.contextmanager
def environment(programs):
    """Starts an environment with a joined device in a temporary folder, and ends it afterwards, even after SIGTERM."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bt-"))
    try:
        local = LocalEnvironment(programs, folder / "w")
        try:
            local.join()
            yield local
        except subprocess.CalledProcessError as failure:
            raise SystemExit(f"{failure.cmd}: {failure.stdout or ''}{failure.stderr or ''}") from None
        finally:
            local.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
