// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The systemd units of the packages, checked with systemd's own tools.
@Suite struct UnitFileTests {
    /// The units of the packages with the paths of this build's programs, because `systemd-analyze` requires them to
    /// exist.
    private func units(in scratch: Scratch) throws -> [String] {
        let folder = Repository.root + "/packaging/systemd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return try names.map { name in
            var text = try textOfFile(folder + "/" + name)
            text = text.replacingOccurrences(
                of: "/usr/lib/baton/", with: Repository.root + "/packaging/session/")
            for program in ["batond", "baton-agent", "baton-helper", "baton-server"] {
                text = text.replacingOccurrences(
                    of: "ExecStart=/usr/bin/\(program) ", with: "ExecStart=\(try RunningProgram.built(program)) ")
            }
            try Data(text.utf8).write(to: URL(filePath: scratch.path(name)))
            return scratch.path(name)
        }
    }

    private func judge(_ arguments: [String], in scratch: Scratch) async throws -> (status: Int32, words: String) {
        let run = try await RunningProgram.start(
            "/usr/bin/systemd-analyze", arguments,
            // Without a runtime directory, `systemd-analyze` checks no user units and exits with status 1.
            environment: ["LC_ALL": "C", "SYSTEMD_LOG_TARGET": "console", "XDG_RUNTIME_DIR": scratch.path],
            log: "judge-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        let status = try await run.waitForExit()
        return (status, try run.log())
    }

    @Test func `systemd finds nothing wrong with the units`() async throws {
        try await Scratch.with { scratch in
            let units = try units(in: scratch)
            #expect(units.count == 13)
            let ofUsers = units.filter { unit in
                ["baton-agent.service", "baton-input.service", "baton-kiosk.target"].contains { unit.hasSuffix($0) }
            }
            let verdict = try await judge(["verify"] + units.filter { !ofUsers.contains($0) }, in: scratch)
            #expect(verdict.status == 0 && verdict.words.isEmpty, "\(verdict.words)")
            #expect(ofUsers.count == 3)
            let agent = try await judge(["--user", "verify"] + ofUsers, in: scratch)
            #expect(agent.status == 0 && agent.words.isEmpty, "\(agent.words)")
        }
    }

    @Test(arguments: [("batond.service", []), ("baton-agent.service", ["--user"])] as [(String, [String])])
    func `systemd finds a misspelt setting, which shows that the check works`(
        name: String, manager: [String]
    ) async throws {
        try await Scratch.with { scratch in
            let unit = try #require(try units(in: scratch).first { $0.hasSuffix("/" + name) })
            let text = try textOfFile(unit)
            let wrong = text.replacingOccurrences(of: "LockPersonality=", with: "LockPersonalities=")
            #expect(wrong != text)
            try Data(wrong.utf8).write(to: URL(filePath: unit))
            let verdict = try await judge(manager + ["verify", unit], in: scratch)
            #expect(verdict.words.contains("\(name):") && verdict.words.contains("'LockPersonalities'"))
        }
    }

    /// The broker finds in /proc which program of the session's user started another program, and the id of the
    /// machine's start (`BrowserOrigin`, `OfflineMoment`).
    @Test func `the broker's unit hides no part of proc from it`() throws {
        let unit = try textOfFile(Repository.root + "/packaging/systemd/batond.service")
        let settings = unit.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(!settings.contains { $0.hasPrefix("ProtectProc=") || $0.hasPrefix("ProcSubset=") })
    }

    @Test(arguments: ["baton-kiosk.service", "baton-agent.service"])
    func `however often the kiosk and the agent end, they are started again`(name: String) throws {
        let unit = try textOfFile(Repository.root + "/packaging/systemd/" + name)
        let settings = unit.split(separator: "\n").map(String.init)
        #expect(settings.contains("StartLimitIntervalSec=0") && settings.contains("Restart=always"))
    }

    /// The limits are exposure scores from 0 to 100, as `--threshold` expects them. The helper mounts file systems, so
    /// it needs a capability with a high weight and has no mount namespace of its own.
    @Test(arguments: [("batond.service", 20), ("baton-server.service", 20), ("baton-helper.service", 40)])
    func `a service has a low exposure score from systemd`(name: String, most: Int) async throws {
        try await Scratch.with { scratch in
            let unit = try #require(try units(in: scratch).first { $0.hasSuffix("/" + name) })
            let verdict = try await judge(
                ["security", "--offline=true", "--threshold=\(most)", "--no-pager", unit], in: scratch)
            #expect(verdict.status == 0, "\(verdict.words)")
        }
    }
}
