// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface

/// Signs an administrator in for later commands.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in for administration from another machine, and keep the sign-in.",
        discussion:
            "Other commands sign in by themselves at a terminal. With --json, the first line of the output says "
            + "what the person must do, and the last line is the result.")
    @OptionGroup var server: AdminServerOptions
    @Option(help: "The tenant's domain or id; - lets the server choose by the user name.")
    var tenant = "-"
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard server.clientID == nil else { throw ValidationError("A script with --client-id needs no sign-in.") }
    }

    func run() async throws {
        try await output.run({ try await signedIn() }, lines: { $0.lines })
    }

    private func signedIn() async throws -> SignedIn {
        let session = try server.session(tenant: tenant, output, isSignIn: true)
        let (end, signal) = await Signals.cancelling { try await session.signIn() }
        if case .failure = end, let signal { throw Self.interrupted(by: signal) }
        return SignedIn(try end.get())
    }

    /// Returns the failure for a sign-in that a signal ended. Its exit code is 128 plus the signal's number, as in a
    /// shell.
    private static func interrupted(by number: Int32) -> CommandFailure {
        CommandFailure(
            code: "sign_in_interrupted", message: "The sign-in was interrupted. Nothing was kept.",
            remedy: "Run the command again.", exitCode: ExitCode(128 + number))
    }
}

/// The person who is signed in, as commands print it.
struct SignedIn: Encodable {
    let userName: String
    let name: String?
    let objectID: String
    let tenantID: String
    /// Where the sign-in is kept.
    let keptIn: String
    /// What went wrong without being fatal; nil if nothing did.
    let warnings: [String]?

    init(_ presence: AdminSession.Presence) {
        (userName, name) = (presence.person.userName, presence.person.name)
        (objectID, tenantID, keptIn) = (presence.person.objectID, presence.person.tenantID, presence.place)
        warnings = presence.warnings.isEmpty ? nil : presence.warnings
    }

    var lines: [String] { ["\(TextTable.printable(userName)) is signed in. The tokens are in \(keptIn)."] }
}
