// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// What `baton admin sign-in` says if the tenant or the browser is the cause.
@Suite(.timeLimit(.minutes(10))) struct SignInRemedyTests {
    /// The identity platform's refusal with an error number.
    private static func refusal(_ number: Int) -> FakeServer.Answer {
        .json(
            #"{"error":"invalid_request","error_description":"AADSTS\#(number): No.","error_codes":[\#(number)]}"#,
            status: 400)
    }

    @Test func `a tenant that the server does not have is named as the cause`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasPrefix("/nix.test/") ? Self.refusal(90002) : nil }
            }
            let refusal = try await admin.refused("sign-in", "--tenant", "nix.test")
            #expect(refusal.code == "tenant_missing" && refusal.message.contains("nix.test"), "\(refusal)")
            #expect(refusal.remedy.contains("--tenant"))
            for name in ["", ".", ".."] {
                #expect(try await admin.refused("sign-in", "--tenant", name).code == "tenant_malformed")
            }
        }
    }

    @Test func `a sign-in with a code that does not name one of several tenants is told to`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/devicecode") ? Self.refusal(50059) : nil }
            }
            let refusal = try await admin.refused("sign-in", "--device-code")
            #expect(refusal.code == "tenant_unnamed" && refusal.remedy.contains("--tenant"), "\(refusal)")
        }
    }

    @Test func `a person is told that an administrator has disabled the application`() async throws {
        try await RemoteAdministrator.with { admin in
            admin.administration.state.withLock { state in
                state.answer = { $0.path.hasSuffix("/token") ? Self.refusal(7_000_112) : nil }
            }
            let refusal = try await admin.refused("sign-in")
            #expect(
                refusal.code == "sign_in_refused" && refusal.remedy.contains("baton admin client enable"), "\(refusal)")
        }
    }

    // MARK: The browser

    /// Runs `sign-in` with a program that opens the page a moment after it has reported a failure.
    private func run(_ admin: RemoteAdministrator, _ words: String...) async throws -> CommandRun {
        let program = """
            #!/bin/sh
            (sleep 1; exec '\(admin.scratch.path("browser"))' "$1") &
            exit 3

            """
        let broken = try admin.scratch.writeProgram(program, to: "broken")
        return try await admin.run(["sign-in"] + words, more: "export BROWSER='\(broken)'\n")
    }

    @Test func `a browser that fails is reported at once, and the sign-in goes on`() async throws {
        try await RemoteAdministrator.with { admin in
            let plain = try await run(admin)
            #expect(plain.code == 0 && plain.output.contains("carol@c.test is signed in."), "\(plain)")
            #expect(
                plain.errors.contains("ended with exit code 3") && plain.errors.contains("--device-code"), "\(plain)")
            #expect(plain.errors.split(separator: "\n").filter { $0.hasPrefix(admin.url) }.count == 2, "\(plain)")
            let json = try await run(admin, "--json")
            let lines = json.output.split(separator: "\n")
            #expect(json.code == 0 && json.errors.isEmpty && lines.count == 3, "\(json)")
            #expect(lines[1].contains(#""browserFailure":"#) && lines[1].contains(#""address":"#), "\(json)")
        }
    }

    @Test func `a browser that is not installed is reported at once`() async throws {
        try await RemoteAdministrator.with { admin in
            let program = try await admin.start(
                ["sign-in"], more: "export DISPLAY=:99 BROWSER='\(admin.scratch.path("none"))'\n")
            try await FolderWatch(admin.scratch.path).until("the report") {
                (try? textOfFile(program.errors))?.contains("--device-code") == true
            }
            #expect(try textOfFile(program.errors).contains("\(admin.scratch.path("none")) is not installed"))
            program.program.send(SIGTERM)
            #expect(try await program.program.waitForExit() == 128 + SIGTERM)
        }
    }
}
