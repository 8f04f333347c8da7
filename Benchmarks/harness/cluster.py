# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of its own, in a scratch folder, and its processor time."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time

from environment import children, end_with_parent
from over_https import PATIENCE, Problem, processor_seconds

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
# PostgreSQL refuses to run as root.
USER = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def as_user(*words):
    """A command line that runs as the server's user."""
    if USER is None:
        return [str(word) for word in words]
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--", *map(str, words)]


class Cluster:
    """A PostgreSQL server with the settings of a production server: commits wait for the disk."""
    role = "baton"

    def __init__(self, folder, settings=()):
        if not (PROGRAMS / "postgres").exists():
            raise Problem(f"{PROGRAMS}/postgres is missing: run scripts/setup")
        self.folder = folder
        folder.mkdir()
        if USER is not None:
            shutil.chown(folder, USER, USER)
        self.run("initdb", f"--pgdata={folder}/data", f"--username={self.role}", "--auth=trust", "--encoding=UTF8",
                 "--locale=C", "--no-instructions")
        given = ["listen_addresses=", f"unix_socket_directories={folder}", "max_connections=200",
                 "shared_buffers=512MB", "max_wal_size=4GB", *settings]
        self.log = folder / "log"
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                as_user(PROGRAMS / "postgres", "-D", folder / "data", *(word for each in given for word in ("-c", each))),
                stdout=output, stderr=output, preexec_fn=end_with_parent)
        end = time.monotonic() + PATIENCE
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", folder], check=False).returncode:
            if self.process.poll() is not None or time.monotonic() > end:
                raise Problem(f"PostgreSQL does not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def run(self, program, *words):
        """Runs a program of PostgreSQL; returns its output."""
        done = subprocess.run(as_user(PROGRAMS / program, *words), capture_output=True, text=True, check=False, cwd="/")
        if done.returncode:
            raise Problem(f"{program}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout

    def sql(self, text, database="baton"):
        """Runs statements, each in its own transaction; returns the rows, each a list of texts."""
        output = self.run("psql", "-h", self.folder, "-U", self.role, "-d", database, "-X", "-q", "-A", "-t", "-F", "\t",
                          "-v", "ON_ERROR_STOP=1", *(word for line in text.split(";\n") for word in ("-c", line)))
        return [line.split("\t") for line in output.splitlines()]

    def add_database(self, name="baton"):
        self.run("createdb", "-h", self.folder, "-U", self.role, "--template=template0", "--encoding=UTF8",
                 "--locale=C", name)

    @property
    def configuration(self):
        """The key `database` of a node's configuration."""
        return {"postgresql": {"socket": str(self.folder), "name": "baton", "user": self.role, "connections": 8}}

    def processor_seconds(self):
        """The processor time of all processes of the server, including those that have ended."""
        seconds = 0.0
        for process in [self.process.pid, *children(self.process.pid)]:
            with contextlib.suppress(OSError):  # ended meanwhile, and then counted below
                seconds += processor_seconds(process)
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return seconds + (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def commits(self, clients, seconds):
        """Commits per second, by PostgreSQL's own benchmark program. Each commit updates the one row of its client."""
        script = self.folder / "commit.sql"
        if not script.exists():
            self.sql("CREATE TABLE one (id INT PRIMARY KEY, n BIGINT NOT NULL);\n"
                     f"INSERT INTO one SELECT number, 0 FROM generate_series(0, {clients - 1}) AS number", "postgres")
            script.write_text("UPDATE one SET n = n + 1 WHERE id = :client_id;\n")
            script.chmod(0o644)
        before = self.processor_seconds()
        output = self.run("pgbench", "-h", self.folder, "-U", self.role, "-n", "-M", "prepared", "-c", clients, "-j", 2,
                          "-T", seconds, "-f", script, "postgres")
        rates = [float(line.split("=")[1].split()[0]) for line in output.splitlines() if line.startswith("tps")]
        done = [int(line.split(":")[1].split("/")[0]) for line in output.splitlines() if "actually processed" in line]
        if len(rates) != 1 or len(done) != 1:
            raise Problem(f"pgbench printed something else:\n{output}")
        return rates[0], (self.processor_seconds() - before) / done[0]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
