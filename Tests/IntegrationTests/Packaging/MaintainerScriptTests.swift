// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The packages' maintainer scripts, run as dpkg runs them, with simulated tools that record their calls.
@Suite struct MaintainerScriptTests {
    /// Runs a script and returns the calls of systemd's tools.
    ///
    /// - Parameters:
    ///   - name: the name of the script's file, `PACKAGE.SCRIPT`.
    ///   - arguments: what dpkg gives the script (deb-postinst(5) and the other pages).
    ///   - isConfigured: whether the package's configuration file exists.
    ///   - isBooted: whether systemd runs the machine.
    private func run(
        _ name: String, _ arguments: [String], isConfigured: Bool = true, isBooted: Bool = true
    ) async throws -> [String] {
        try await Scratch.with { scratch in
            let folders = ["bin", "etc"] + (isBooted ? ["booted"] : [])
            for folder in folders {
                try FileManager.default.createDirectory(
                    atPath: scratch.path(folder), withIntermediateDirectories: false)
            }
            for tool in ["systemctl", "systemd-sysusers", "systemd-tmpfiles"] {
                try scratch.writeProgram(
                    "#!/bin/sh\necho \(tool) \"$@\" >> \(scratch.path("calls"))\n", to: "bin/\(tool)")
            }
            if isConfigured {
                for file in ["batond.json", "baton-server.json"] { try scratch.write("{}", to: "etc/" + file) }
            }
            try scratch.write("", to: "calls")
            let script = try textOfFile(Repository.root + "/packaging/debian/" + name)
                .replacing("/run/systemd/system", with: scratch.path("booted"))
                .replacing("/etc/baton/", with: scratch.path("etc/"))
            // A test must not touch the machine's own folders.
            #expect(!script.contains("rm -rf") || arguments.first != "purge")
            try scratch.writeProgram(script, to: "script")
            let program = try await RunningProgram.start(
                scratch.path("script"), arguments, environment: ["PATH": scratch.path("bin") + ":/usr/bin:/bin"],
                log: "script.log", awaitsReady: false, in: scratch)
            let (code, log) = (try await program.waitForExit(), try program.log())
            #expect(code == 0, "\(log)")
            return try textOfFile(scratch.path("calls")).split(separator: "\n").map(String.init)
        }
    }

    @Test func `an upgrade of batond asks for a restart and stops nothing`() async throws {
        let calls = try await run("batond.postinst", ["configure", "0.1.0"])
        #expect(
            calls == [
                "systemd-sysusers batond.conf", "systemd-tmpfiles --create batond.conf", "systemctl daemon-reload",
                "systemctl try-reload-or-restart batond.service",
            ])
        for (script, arguments) in [
            ("batond.prerm", ["upgrade", "0.2.0"]), ("batond.prerm", ["failed-upgrade", "0.1.0"]),
            ("batond.postrm", ["upgrade", "0.2.0"]), ("baton-server.prerm", ["upgrade", "0.2.0"]),
            ("baton-kiosk.prerm", ["upgrade", "0.2.0"]), ("baton-kiosk.postinst", ["configure", "0.1.0"]),
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
        let calls = try await run("baton-server.postinst", ["configure", "0.1.0"])
        #expect(
            calls == [
                "systemd-sysusers baton-server.conf", "systemctl daemon-reload",
                "systemctl try-restart baton-server.service",
            ])
    }

    @Test(arguments: ["batond", "baton-server"])
    func `a first installation starts nothing`(package: String) async throws {
        for (arguments, isConfigured) in [(["configure", ""], false), (["configure", ""], true)] {
            let calls = try await run(package + ".postinst", arguments, isConfigured: isConfigured)
            #expect(calls.filter { $0.hasPrefix("systemctl") } == ["systemctl daemon-reload"])
        }
    }

    @Test(arguments: ["batond", "baton-server", "baton-kiosk"])
    func `on a machine without systemd, the scripts call no service manager`(package: String) async throws {
        for (script, arguments) in [
            ("postinst", ["configure", "0.1.0"]), ("prerm", ["remove"]), ("postrm", ["remove"]),
        ] {
            let calls = try await run("\(package).\(script)", arguments, isBooted: false)
            #expect(!calls.contains { $0.hasPrefix("systemctl") })
        }
    }

    @Test(arguments: ["batond", "baton-server", "baton-kiosk"])
    func `a removal stops the services`(package: String) async throws {
        let calls = try await run(package + ".prerm", ["remove"])
        #expect(calls.first?.hasPrefix("systemctl disable --now \(package).service") == true)
    }
}
