// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Glibc
import Synchronization

/// The options that say how a command reaches the server's administration: through the socket of the server on this
/// machine, or over HTTPS from any machine.
struct AdminServerOptions: ParsableArguments {
    @Option(help: "The server's state folder (default: BATON_SERVER, else /var/lib/baton-server).")
    var server: String?

    @Option(
        help: "The administration's address, https://HOST:PORT (default: BATON_ADMIN_URL, else the server's socket).")
    var url: String?

    @Option(
        help:
            "A PEM file with the only authority to trust for --url (default: BATON_ADMIN_CA, else the system's roots).")
    var ca: String?

    @Flag(help: "Sign in with a code on another machine, instead of this machine's browser.")
    var deviceCode = false

    @Option(help: "A file for the tokens of the sign-in, which only its owner may read (default: the keyring).")
    var tokenFile: String?

    @Option(name: .customLong("client-id"), help: "For scripts: the client id of an application with a registered key.")
    var clientID: String?

    @Option(help: "For scripts: the application's private key, a PEM file of mode 0600.")
    var key: String?

    func validate() throws {
        guard url == nil || server == nil else { throw ValidationError("Give --url or --server, not both.") }
        guard (clientID == nil) == (key == nil) else { throw ValidationError("Give --client-id and --key together.") }
        guard clientID == nil || (!deviceCode && tokenFile == nil) else {
            throw ValidationError("--client-id excludes --device-code and --token-file.")
        }
    }

    /// The address of the administration; nil for the server's socket.
    private var address: String? {
        if let url { return url }
        guard server == nil, let address = Self.variable("BATON_ADMIN_URL") else { return nil }
        return address
    }

    /// Returns the client. Every call of one command uses the same client, and therefore the same sign-in.
    ///
    /// - Parameter tenant: the tenant that the command names; `-` names none.
    /// - Throws: ``CommandFailure``.
    func client(tenant: String, _ output: OutputOptions) throws -> AdminClient {
        try Self.client.withLock { client in
            if let client { return client }
            let made: AdminClient
            if address == nil {
                made = AdminClient(socket: socket, isJSON: output.json)
            } else {
                made = AdminClient(session: try session(tenant: tenant, output), isJSON: output.json)
            }
            client = made
            return made
        }
    }

    private static let client = Mutex<AdminClient?>(nil)

    private var socket: String {
        (server ?? Self.variable("BATON_SERVER") ?? "/var/lib/baton-server") + "/admin.sock"
    }

    /// Returns the session of an administrator over HTTPS.
    ///
    /// - Parameters:
    ///   - tenant: the tenant that the command names; `-` names none.
    ///   - isSignIn: whether the command itself is a sign-in. Other commands let a person sign in only at a terminal.
    /// - Throws: ``CommandFailure``; `url_missing` if the command would use the server's socket.
    func session(tenant: String, _ output: OutputOptions, isSignIn: Bool = false) throws -> AdminSession {
        guard let address else {
            throw CommandFailure(
                code: "url_missing",
                message: "Through the server's socket, nobody signs in: the kernel says who calls.",
                remedy: "Give the administration's address with --url or BATON_ADMIN_URL.")
        }
        let administration = try ServerURL(administration: address)
        let identity: AdminSession.Identity =
            if let clientID, let key {
                .application(try ApplicationSignIn(clientID: clientID, key: key))
            } else if isSignIn || Self.isAtTerminal(output) {
                .person(signIn(output))
            } else {
                .person(nil)
            }
        return AdminSession(
            at: administration, through: try WebClient(trusting: authority), as: identity,
            tenant: tenant == "-" ? nil : tenant, keeping: tokenFile.map { .file($0) } ?? .keyring,
            options: signInOptions, warn: { output.warn([$0]) })
    }

    /// The file of the only authority to trust; nil for the system's roots.
    private var authority: String? { ca ?? Self.variable("BATON_ADMIN_CA") }

    /// The options, besides the address, with which another command uses the same sign-in.
    private var signInOptions: [String] {
        let values = [("--ca", authority), ("--token-file", tokenFile)]
        return values.flatMap { name, value in value.map { [name, $0] } ?? [] } + (deviceCode ? ["--device-code"] : [])
    }

    private func signIn(_ output: OutputOptions) -> PersonSignIn {
        let isWithoutScreen = !SystemBrowser.hasScreen
        return PersonSignIn(by: deviceCode || isWithoutScreen ? .deviceCode : .browser) { instruction in
            try SignInInstructions(output: output, isWithoutScreen: isWithoutScreen && !deviceCode).show(instruction)
        }
    }

    /// Whether a person can be asked to sign in.
    private static func isAtTerminal(_ output: OutputOptions) -> Bool {
        !output.json && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
