// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import FoundationEssentials
internal import Glibc
internal import Processes
internal import Redaction
internal import UnixSocket

/// Keeps sign-ins in the keyring of the person's session (Secret Service), as the programs of libsecret and systemd
/// reach it. No secret is ever an argument of a program.
struct Keyring: SignInStore {
    /// Whether a keyring can be used.
    enum State: Equatable {
        case ready
        /// The person must unlock the keyring.
        case locked
        /// The session has no keyring.
        case missing
        /// The program that reaches the keyring is not installed.
        case noProgram
    }

    private static let program = "/usr/bin/secret-tool"
    private static let probe = "/usr/bin/busctl"

    var place: String { "the keyring" }

    var lockFile: String? {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            let parent = environment["XDG_RUNTIME_DIR"] ?? environment["HOME"].map { $0 + "/.cache" }
            guard let parent, parent.hasPrefix("/") else { return nil }
            let folder = Directory(path: parent + "/baton")
            do { try folder.makePrivate() } catch {
                throw PrivateFileFailure.reading(error, code: "sign_in_lock", folder.path)
            }
            return folder.path + "/admin.lock"
        }
    }

    /// Asks the session's keyring whether it can be used. Never shows a dialog.
    static func state() async throws -> State {
        guard unsafe access(program, X_OK) == 0, unsafe access(probe, X_OK) == 0 else { return .noProgram }
        let run = try await Run(
            probe,
            [
                "--user", "--timeout=10", "get-property", "org.freedesktop.secrets",
                "/org/freedesktop/secrets/aliases/default", "org.freedesktop.Secret.Collection", "Locked",
            ])
        switch String(decoding: run.output, as: UTF8.self) {
        case "b false\n" where run.isSuccess: return .ready
        case "b true\n" where run.isSuccess: return .locked
        default: return .missing
        }
    }

    /// Returns the failure for a keyring that cannot be used.
    ///
    /// - Parameter isLookingUp: whether a sign-in is to be found, not kept.
    static func failure(_ state: State, isLookingUp: Bool = false) -> CommandFailure {
        let (consequence, other) =
            isLookingUp
            ? ("it is not known whether there is a sign-in", "Or give the --token-file with which you signed in.")
            : (
                "the sign-in cannot be kept",
                "Or give --token-file FILE, to keep the sign-in in a file that only you may read."
            )
        return switch state {
        case .locked:
            CommandFailure(
                code: "keyring_locked", message: "The keyring is locked, so \(consequence).",
                remedy: "Unlock the keyring. \(other)")
        case .noProgram:
            CommandFailure(
                code: "keyring_missing",
                message: "The keyring cannot be reached, because \(program) or \(probe) is not installed, so "
                    + "\(consequence).",
                remedy: "Install the packages libsecret-tools and systemd. \(other)")
        case .missing, .ready:
            CommandFailure(
                code: "keyring_missing", message: "This session has no keyring, so \(consequence).",
                remedy: "Run the command in a desktop session with a keyring, such as gnome-keyring. \(other)")
        }
    }

    /// The caller has asked for the ``state()``.
    func check() {}

    func read(for administration: ServerURL) async throws -> KeptSignIn? {
        var run = try await Run(Self.program, ["lookup"] + Self.attributes(administration))
        defer { wipe(&run.output) }
        // The program reports a missing item as a failure without a message.
        guard run.isSuccess || !run.errors.isEmpty else { return nil }
        try Self.check(run)
        guard let kept = KeptSignIn(decoding: run.output), kept.administration == administration.origin else {
            throw CommandFailure(
                code: "keyring_malformed", message: "The keyring does not contain a sign-in under the expected name.",
                remedy: "Remove the item Baton administration from the keyring, and sign in again.")
        }
        return kept
    }

    func write(_ kept: KeptSignIn) async throws {
        guard let administration = ServerURL(kept.administration) else { return }
        var content = try kept.encoded()
        let secret = SecretBytes(consuming: &content)
        try Self.check(
            try await Run(
                Self.program,
                ["store", "--label", "Baton administration at \(kept.administration)"]
                    + Self.attributes(administration), input: secret))
    }

    func remove(for administration: ServerURL) async throws {
        let run = try await Run(Self.program, ["clear"] + Self.attributes(administration))
        guard run.isSuccess || !run.errors.isEmpty else { return }
        try Self.check(run)
    }

    private static func attributes(_ administration: ServerURL) -> [String] {
        ["application", "org.baton.admin", "server", administration.origin]
    }

    private static func check(_ run: Run) throws {
        guard !run.isSuccess else { return }
        throw CommandFailure(
            code: "keyring_failed",
            message:
                "The keyring failed: \(TextTable.printable(String(run.errors.prefix { !$0.isNewline }.prefix(200)))).",
            remedy: "Unlock the keyring and run the command again, or give --token-file FILE.")
    }
}

/// One run of a program that reaches the keyring.
private struct Run {
    let isSuccess: Bool
    var output: [UInt8]
    let errors: String

    /// A keyring that asks the person something must not block the command forever.
    private static let patience = Duration.seconds(60)

    /// Runs a program until it ends, with the environment of this process.
    ///
    /// - Parameter input: its standard input, in a nameless file in memory.
    init(_ program: String, _ arguments: [String], input: SecretBytes? = nil) async throws {
        let (output, errors) = (try MemoryFile(), try MemoryFile())
        var descriptors = [(output.descriptor, as: STDOUT_FILENO), (errors.descriptor, as: STDERR_FILENO)]
        if let input {
            var bytes = unsafe input.withUnsafeBytes { unsafe Array($0) }
            defer { wipe(&bytes) }
            descriptors.append((try MemoryFile(holding: bytes).descriptor, as: STDIN_FILENO))
        }
        let child = try ChildProcess.spawn(
            executable: program, arguments: arguments, environment: ProcessInfo.processInfo.environment,
            descriptors: descriptors)
        let killing = Task {
            try await Task.sleep(for: Self.patience)
            child.kill()
        }
        let status = try await blocking { try child.waitForExit() }
        killing.cancel()
        isSuccess = status.isSuccess
        self.output = try output.content(limit: 64 << 10)
        self.errors = String(decoding: try errors.content(limit: 64 << 10), as: UTF8.self)
    }
}
