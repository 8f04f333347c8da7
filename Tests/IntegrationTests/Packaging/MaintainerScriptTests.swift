// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The packages' scripts, run as dpkg and needrestart run them, with simulated tools that record their calls.
@Suite struct MaintainerScriptTests {
    /// The folders of the machine that the scripts use, and what stands for them in a test's own folder.
    private static let places = [
        "/run/systemd/system": "booted", "/etc/baton/": "etc/", "/run/baton-helper": "run-helper", "/run/baton": "run",
        "/sys/fs/cgroup/system.slice/baton-helper.service": "group", "/proc/$process/exe": "program",
    ]

    /// Runs a script and returns the calls of the system's tools.
    ///
    /// - Parameters:
    ///   - name: the name of the script's file in `packaging`.
    ///   - arguments: what dpkg gives the script (deb-postinst(5) and the other pages).
    ///   - isConfigured: whether the package's configuration file exists.
    ///   - isBooted: whether systemd runs the machine.
    ///   - program: the path of the helper's program, as the kernel shows it in `/proc`.
    ///   - check: examines what the script leaves in the test's folder.
    private func run(
        _ name: String, _ arguments: [String] = [], isConfigured: Bool = true, isBooted: Bool = true,
        program: String = "/usr/bin/baton-helper", check: (Scratch) throws -> Void = { _ in }
    ) async throws -> [String] {
        try await Scratch.with { scratch in
            let folders = ["bin", "etc", "group", "run", "run-helper/sessions/1"] + (isBooted ? ["booted"] : [])
            for folder in folders {
                try FileManager.default.createDirectory(
                    atPath: scratch.path(folder), withIntermediateDirectories: true)
            }
            for tool in ["systemctl", "systemd-sysusers", "systemd-tmpfiles", "mountpoint", "umount"] {
                try scratch.writeProgram(
                    "#!/bin/sh\necho \(tool) \"$@\" >> \(scratch.path("calls"))\n", to: "bin/\(tool)")
            }
            if isConfigured {
                for file in ["batond.json", "baton-server.json"] { try scratch.write("{}", to: "etc/" + file) }
            }
            try scratch.write("", to: "calls")
            try scratch.write("", to: "group/cgroup.kill")
            try FileManager.default.createSymbolicLink(atPath: scratch.path("program"), withDestinationPath: program)
            var script = try textOfFile(Repository.root + "/packaging/" + name)
            for (place, stand) in Self.places.sorted(by: { $0.key.count > $1.key.count }) {
                script = script.replacing(place, with: scratch.path(stand))
            }
            // A test must not touch the machine's own folders.
            #expect(!script.contains("rm -rf /var") || arguments.first != "purge")
            try scratch.writeProgram(script, to: "script")
            let program = try await RunningProgram.start(
                scratch.path("script"), arguments, environment: ["PATH": scratch.path("bin") + ":/usr/bin:/bin"],
                log: "script.log", awaitsReady: false, in: scratch)
            let (code, log) = (try await program.waitForExit(), try program.log())
            #expect(code == 0, "\(log)")
            try check(scratch)
            return try textOfFile(scratch.path("calls")).replacing(scratch.path, with: "").split(separator: "\n")
                .map(String.init)
        }
    }

    @Test func `an upgrade of batond asks for a restart and stops nothing`() async throws {
        let calls = try await run("debian/batond.postinst", ["configure", "0.1.0"])
        #expect(
            calls == [
                "systemd-sysusers batond.conf", "systemd-tmpfiles --create batond.conf", "systemctl daemon-reload",
                "systemctl try-reload-or-restart batond.service",
            ])
        for (script, arguments) in [
            ("debian/batond.prerm", ["upgrade", "0.2.0"]), ("debian/batond.prerm", ["failed-upgrade", "0.1.0"]),
            ("debian/batond.postrm", ["upgrade", "0.2.0"]), ("debian/baton-server.prerm", ["upgrade", "0.2.0"]),
            ("debian/baton-kiosk.prerm", ["upgrade", "0.2.0"]),
            ("debian/baton-kiosk.postinst", ["configure", "0.1.0"]),
        ] {
            let calls = try await run(script, arguments)
            #expect(
                !calls.contains { $0.contains("stop") || $0.contains("restart") || $0.contains("--now") }, "\(script)")
        }
    }

    @Test func `the unit restarts batond after the signal that the package sends`() throws {
        let unit = try textOfFile(Repository.root + "/packaging/systemd/batond.service")
        #expect(unit.contains(#"ExecReload=/bin/sh -c "kill -HUP $MAINPID""#) && unit.contains("\nRestart=always\n"))
    }

    @Test func `an upgrade of baton-server restarts a server that runs`() async throws {
        let calls = try await run("debian/baton-server.postinst", ["configure", "0.1.0"])
        #expect(
            calls == [
                "systemd-sysusers baton-server.conf", "systemctl daemon-reload",
                "systemctl try-restart baton-server.service",
            ])
    }

    @Test(arguments: ["batond", "baton-server"])
    func `a first installation starts nothing`(package: String) async throws {
        for (arguments, isConfigured) in [(["configure", ""], false), (["configure", ""], true)] {
            let calls = try await run("debian/" + package + ".postinst", arguments, isConfigured: isConfigured)
            #expect(calls.filter { $0.hasPrefix("systemctl") } == ["systemctl daemon-reload"])
        }
    }

    @Test(arguments: ["batond", "baton-server", "baton-kiosk"])
    func `on a machine without systemd, the scripts call no service manager`(package: String) async throws {
        for (script, arguments) in [
            ("postinst", ["configure", "0.1.0"]), ("prerm", ["remove"]), ("postrm", ["remove"]),
        ] {
            let calls = try await run("debian/\(package).\(script)", arguments, isBooted: false)
            #expect(!calls.contains { $0.hasPrefix("systemctl") })
        }
    }

    @Test(arguments: ["batond", "baton-server", "baton-kiosk"])
    func `a removal stops the services`(package: String) async throws {
        let calls = try await run("debian/" + package + ".prerm", ["remove"])
        #expect(calls.first?.hasPrefix("systemctl disable --now \(package).service") == true)
    }

    @Test func `a removal of batond leaves no process and no storage of the session's browser`() async throws {
        let calls = try await run("debian/batond.prerm", ["remove"]) { scratch in
            let order = try textOfFile(scratch.path("group/cgroup.kill"))
            #expect(order == "1\n")
        }
        let stop = try #require(calls.firstIndex { $0.hasPrefix("systemctl disable --now batond.service") })
        let unmount = try #require(calls.firstIndex(of: "umount --lazy /run-helper/sessions/1"))
        #expect(stop < unmount)
        #expect(calls.contains("systemctl stop batond-app@*.socket"))
        _ = try await run("debian/batond.prerm", ["upgrade", "0.2.0"]) { scratch in
            let order = try textOfFile(scratch.path("group/cgroup.kill"))
            #expect(order.isEmpty)
        }
        for arguments in [["remove"], ["upgrade", "0.2.0"]] {
            _ = try await run("debian/batond.postrm", arguments) { scratch in
                let folders = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter {
                    $0.hasPrefix("run")
                }
                #expect(folders.isEmpty == (arguments == ["remove"]))
            }
        }
    }

    @Test func `needrestart restarts batond when nobody is signed in, and no helper that an upgrade replaced`()
        async throws
    {
        #expect(try await run("needrestart/batond.service") == ["systemctl reload batond.service"])
        let question = "systemctl show --property MainPID --value baton-helper.service"
        #expect(
            try await run("needrestart/baton-helper.service") == [
                question, "systemctl restart baton-helper.service",
            ])
        #expect(
            try await run("needrestart/baton-helper.service", program: "/usr/bin/baton-helper (deleted)") == [question])
    }
}
