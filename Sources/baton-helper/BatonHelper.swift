// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import BrokerHelper
internal import BrokerIPC
internal import Glibc
internal import Logging
internal import Observability
internal import Processes
internal import UnixSocket

/// The privileged program of a device. It makes and removes the sessions' storage, ends their processes, and reports
/// what is left in users' folders.
@main
struct BatonHelper: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-helper",
        abstract: "Carries out operations for Baton's broker that need root, from a fixed list.",
        discussion: """
            Runs as root. Answers only the broker's user, and touches only the processes and folders of the session users. \
            The broker works without it; its receipts then grade the browser as reported instead of enforced.
            """,
        version: BrokerVersion.current)

    @Option(help: ArgumentHelp("The user of batond, the only one who may send requests.", valueName: "user"))
    var broker = "baton"

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp("A user of a graphical session that workers share.", valueName: "user"))
    var users: [String] = []

    @Option(help: ArgumentHelp("The folder below which the sessions' storage is mounted.", valueName: "folder"))
    var storage = "/run/baton-helper/sessions"

    @Option(help: ArgumentHelp("The largest size of one session's storage, in megabytes.", valueName: "number"))
    var storageSize: UInt32 = 1024

    @Option(help: ArgumentHelp("The socket; not needed if the service manager hands one over.", valueName: "path"))
    var socket: String?

    @Option(help: "The format of the log: text or json.")
    var logFormat: LogFormat = .text

    /// The path of a socket has at most 107 bytes (unix(7)). In the path of Chromium's socket, 81 of these bytes come
    /// after this folder: `/<epoch>/t/org.chromium.Chromium.XXXXXX/SingletonSocket`.
    private static let maximumStoragePath = 26

    func validate() throws {
        guard !users.isEmpty else { throw ValidationError("Name at least one --user.") }
        guard storage.hasPrefix("/"), !storage.hasSuffix("/") else {
            throw ValidationError("--storage must be an absolute path.")
        }
        guard storage.utf8.count <= Self.maximumStoragePath else {
            throw ValidationError(
                "--storage may have at most \(Self.maximumStoragePath) bytes, because browsers create sockets far "
                    + "below it.")
        }
        guard (16...65_536).contains(storageSize) else { throw ValidationError("--storage-size must be 16 to 65536.") }
    }

    func run() throws {
        try OwnMemory.shut()
        let inherited = try InheritedDescriptors.take()
        let configuration = HelperConfiguration(
            broker: try lookUp(broker).number, users: try users.map(lookUp), storage: storage, megabytes: storageSize)
        logFormat.bootstrap(level: .info)
        let logger = Logger(label: "baton-helper")
        let service = HelperService(
            helper: try SessionHelper(configuration, logger: logger), listener: try listener(inherited),
            broker: configuration.broker, endsWhenReplaced: !inherited.all.isEmpty, logger: logger)
        try ServiceNotification.ready()
        try service.run()
    }

    private func listener(_ inherited: InheritedDescriptors) throws -> Listener {
        if let first = inherited.all.first { return try Listener(inherited: first.descriptor) }
        guard let socket else { throw ValidationError("Give --socket, or start baton-helper by its socket unit.") }
        let listener = try Listener(path: socket, mode: 0o600)
        guard unsafe chown(socket, try lookUp(broker).number, gid_t.max) == 0 else {
            throw SocketError(call: .listen, errno: errno)
        }
        return listener
    }

    private func lookUp(_ name: String) throws -> SystemUser {
        guard let user = SystemUser(name: name) else { throw ValidationError("The system has no user \(name).") }
        return user
    }
}

extension LogFormat: ExpressibleByArgument {}
