// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import baton_server

/// An administrator who runs `baton admin` on another machine than the server's, with a browser that signs in by itself.
struct RemoteAdministrator {
    let administration: FakeAdministration
    let scratch: Scratch
    /// The address of the administration.
    let url: String
    /// The file of the authority's certificate.
    let authority: String
    let tokenFile: String
    /// Keeps the server running.
    private let server: FakeServer

    static func with(_ body: (RemoteAdministrator) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let directory = try StateDirectory(path: scratch.path("state"))
            let authority = try DevelopmentAuthority(in: directory, names: ["localhost"])
            let administration = FakeAdministration()
            let server = try await administration.listen(authority)
            try await body(
                try RemoteAdministrator(
                    administration: administration, scratch: scratch, url: "https://localhost:\(server.port)",
                    authority: scratch.path("state/ca/root.pem"), tokenFile: scratch.path("tokens"), server: server))
        }
    }

    private init(
        administration: FakeAdministration, scratch: Scratch, url: String, authority: String, tokenFile: String,
        server: FakeServer
    ) throws {
        (self.administration, self.scratch, self.url) = (administration, scratch, url)
        (self.authority, self.tokenFile, self.server) = (authority, tokenFile, server)
        try scratch.writeProgram(
            "#!/bin/sh\nexec /usr/bin/curl --silent --location --output /dev/null --cacert '\(authority)' \"$1\"\n",
            to: "browser")
    }

    /// The variables of a session; without a keyring.
    private func environment(screen: Bool = true) -> String {
        """
        export HOME='\(scratch.path)' XDG_RUNTIME_DIR='\(scratch.path)' BROWSER='\(scratch.path("browser"))'
        export BATON_ADMIN_URL='\(url)' BATON_ADMIN_CA='\(authority)'
        unset DBUS_SESSION_BUS_ADDRESS
        \(screen ? "export DISPLAY=:99" : "unset DISPLAY WAYLAND_DISPLAY")

        """
    }

    /// Runs `baton admin` with these arguments, and with the token file unless another place is given.
    func run(_ words: [String], screen: Bool = true, tokenFile: Bool = true, more: String = "") async throws
        -> CommandRun
    {
        let sourced = scratch.path("sourced-\(UInt32.random(in: 0...UInt32.max))")
        try Data((environment(screen: screen) + more).utf8).write(to: URL(filePath: sourced))
        return try await CommandRun(
            ["admin"] + words + (tokenFile ? ["--token-file", self.tokenFile] : []), sourcing: sourced, in: scratch)
    }

    /// Runs `baton admin` with these arguments at a terminal (script(1)), whose content becomes the output.
    func run(atTerminal words: String..., tokenFile: Bool = true) async throws -> CommandRun {
        let sourced = try scratch.write(environment(), to: "environment-of-terminal")
        let file = tokenFile ? ["--token-file", self.tokenFile] : []
        let command = ([try RunningProgram.built("baton"), "admin"] + words + file).map { "'\($0)'" }
        let program = try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #". "$0"; exec script --quiet --return --command "$1" /dev/null"#, sourced,
                command.joined(separator: " "),
            ],
            log: "terminal-\(UInt32.random(in: 0...UInt32.max))", awaitsReady: false, in: scratch)
        return CommandRun(code: try await program.waitForExit(), output: try program.log(), errors: "")
    }

    /// Starts `baton admin` with these arguments on a session without a screen.
    ///
    /// - Parameter more: more lines for the shell.
    func start(_ words: [String], more: String = "") async throws -> (program: RunningProgram, errors: String) {
        let sourced = scratch.path("sourced-\(UInt32.random(in: 0...UInt32.max))")
        try Data((environment(screen: false) + more).utf8).write(to: URL(filePath: sourced))
        return try await CommandRun.start(
            ["admin"] + words + ["--token-file", tokenFile], sourcing: sourced, in: scratch)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func done(_ words: String...) async throws -> String {
        let run = try await run(words)
        #expect(run.code == 0, "baton admin \(words.joined(separator: " ")) says \(run)")
        try expectNoToken(in: run)
        return run.output
    }

    /// Runs a command that must be refused, and returns the error.
    func refused(_ words: [String], code: Int32 = 1, screen: Bool = true) async throws -> CommandRun.Failure.Parts {
        let run = try await run(words + ["--json"], screen: screen)
        #expect(run.code == code, "baton admin \(words.joined(separator: " ")) says \(run)")
        try expectNoToken(in: run)
        return try CommandRun.Failure(run.errors).error
    }

    func refused(_ words: String...) async throws -> CommandRun.Failure.Parts { try await refused(words) }

    private func expectNoToken(in run: CommandRun) throws {
        #expect(!(run.output + run.errors).contains(FakeAdministration.token), "the output contains a token: \(run)")
    }
}

/// Counts down, for a server whose first answers differ from the later ones.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    /// Returns true as often as the count says.
    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
