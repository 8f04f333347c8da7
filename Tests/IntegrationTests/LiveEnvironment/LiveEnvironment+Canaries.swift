// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import TestSupport

/// Searches for traces of a worker with the program in Tests/Canary.
extension LiveEnvironment {
    /// A person's known data. Each text is unique to the person.
    func canaries(of givenName: String) throws -> [String: String] {
        let person = try person(givenName)
        return [
            "user name": person.userName, "name": person.displayName, "password": person.password,
            "phone": person.mobilePhone, "file": try savedText(of: givenName),
        ]
    }

    /// The text that a person saves in files of their session. It is unique to this environment, because browsers of
    /// other environments may run at the same time.
    func savedText(of givenName: String) throws -> String {
        "What \(try person(givenName).givenName) alone keeps: \(facts.tenantID) \(facts.port)"
    }

    /// The key of the live session, from its process.
    func sessionKey() async throws -> [UInt8] {
        let said = try await canary(["session-key", "\(try sessionProcess().pid)"])
        let digits = said.compactMap(\.hexDigitValue)
        guard digits.count == 64 else { throw TestProblem("no session key:\n\(said)") }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// The tokens that the session process holds now.
    func harvest() async throws -> [String: String] {
        let tokens = try await canary(["harvest", "\(try sessionProcess().pid)"])
        return try JSONDecoder().decode([String: String].self, from: Data(tokens.utf8))
    }

    /// Everything that a device keeps, by name, except the packages from the MDM, which contain the demonstration's
    /// people.
    func surfaces() throws -> [String: String] {
        var surfaces = ["run": path("run"), "log": logPath(of: .broker), "agent's log": logPath(of: .agent)]
        for name in try names(in: "device") where name != "management" { surfaces[name] = path("device/" + name) }
        for name in try names(in: "device/management") where name != "apps" {
            surfaces["management " + name] = path("device/management/" + name)
        }
        for name in try temporaryFolders { surfaces[Self.temporary + name] = "/tmp/" + name }
        return surfaces
    }

    private static let temporary = "temporary "

    /// The temporary folder of an epoch's browser, as the agent has recorded it.
    func temporaryFolder(_ epoch: Epoch.ID) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: path("run/profiles/\(epoch).temporary"))
    }

    /// The folders for browsers' temporary files, including those of concurrent tests.
    private var temporaryFolders: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { name in
                name.hasPrefix("baton-") && Epoch.ID(String(name.dropFirst(6))) != nil
            }
        }
    }

    /// Checks that the search works: it must find a signed-in worker's data where it must be.
    func searchHits(_ givenName: String) async throws {
        guard let epoch = try await status().epoch else { throw TestProblem("the epoch cannot be read") }
        try await search(
            try canaries(of: givenName),
            [
                "--process", "session=\(try sessionProcess().pid)", "--surface", "profiles=" + path("run/profiles"),
                "--surface", "temporary=" + temporaryFolder(epoch.id), "--expect-hit", "session=user name,name",
                "--expect-hit", "profiles=file", "--expect-hit", "temporary=file",
            ])
    }

    /// Searches folders and files for texts, none of which may be found.
    ///
    /// - Throws: ``TestProblem`` that names what was found and where, but never contains the text.
    func finds(
        none canaries: [String: String], keys: [String: [UInt8]] = [:], in surfaces: [String: String]
    ) async throws {
        let places = surfaces.flatMap { name, path in
            // The broker replaces a file by renaming its draft, which may have happened since the folder was listed.
            let mayBeAbsent = name.hasPrefix(Self.temporary) || name.hasSuffix(".new")
            return ["--surface", "\(name)=\(path)"] + (mayBeAbsent ? ["--absent-is-none", name] : [])
        }
        try await search(canaries, keys: keys, places + ["--expect-none"])
    }

    /// - Parameter keys: binary canaries, in addition to the texts.
    func search(_ texts: [String: String], keys: [String: [UInt8]] = [:], _ arguments: [String]) async throws {
        var canaries: [String: Any] = texts
        for (name, bytes) in keys {
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            canaries[name] = ["hex": digits]
        }
        try await canary(["search"] + arguments, input: try JSONSerialization.data(withJSONObject: canaries))
    }

    /// Runs a command of the program that searches for traces.
    ///
    /// - Throws: ``TestProblem`` with the program's output if it fails.
    @discardableResult
    func canary(_ arguments: [String], input: Data = Data(), through wrapper: [String] = []) async throws -> String {
        try await Scratch.with { scratch in
            let run = try await TraceSearchRun(arguments, input: Array(input), through: wrapper, in: scratch)
            guard run.code == 0 else { throw TestProblem("the search ended with \(run.code):\n\(run.output)") }
            return run.output
        }
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``TestProblem`` with the program's output if it fails.
    @discardableResult
    func run(_ program: String, _ arguments: String...) async throws -> String {
        try await run(program, arguments: arguments)
    }

    @discardableResult
    func run(_ program: String, arguments: [String]) async throws -> String {
        try await Scratch.with { scratch in
            let run = try await RunningProgram.start(program, arguments, log: "log", awaitsReady: false, in: scratch)
            let code = try await run.waitForExit()
            guard code == 0 else { throw TestProblem("\(program) ended with \(code):\n\(try run.log())") }
            return try run.log()
        }
    }
}
