// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface

/// Ends the sign-in of an administrator.
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Revoke the sign-in at the server and remove it from this machine.",
        discussion: "The session of the browser is another one, and goes on.")
    @OptionGroup var server: AdminServerOptions
    @OptionGroup var output: OutputOptions

    private struct Ended: Encodable { let wasSignedIn: Bool }

    func validate() throws {
        guard server.clientID == nil else { throw ValidationError("A script with --client-id has no sign-in.") }
    }

    func run() async throws {
        try await output.run(
            { Ended(wasSignedIn: try await server.session(tenant: "-", output).signOut()) },
            lines: { [$0.wasSignedIn ? "You are signed out." : "Nobody was signed in."] })
    }
}
