// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// A session's message bus (dbus-daemon(1)), which starts the accessibility bus when somebody asks for it.
package enum MessageBus {
    /// Starts a bus that ends with the test.
    ///
    /// - Returns: its address.
    package static func start(in scratch: Scratch) async throws -> String {
        let folder = scratch.path("bus")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let bus = try await RunningProgram.start(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address"],
            environment: ["XDG_RUNTIME_DIR": folder, "HOME": folder], log: "bus.log", awaitsReady: false, in: scratch)
        let log = bus.logPath
        @Sendable func address() throws -> String? {
            try textOfFile(log).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.hasPrefix("unix:") }.map(String.init)
        }
        try await FolderWatch(scratch.path).until("a bus") { try address() != nil }
        guard let address = try address() else { throw TestProblem("the bus has no address") }
        return address
    }
}
