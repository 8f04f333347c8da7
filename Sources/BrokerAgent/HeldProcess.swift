// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Processes
internal import UnixSocket

/// A process that waits until it may execute its program.
///
/// While the process waits, the broker puts it into the session's control group, so that everything that the program
/// starts is also in the group.
struct HeldProcess: Sendable {
    let process: ChildProcess
    /// The process waits for a line from this descriptor. If the agent ends before it writes that line, the process
    /// ends, too.
    private let gate: Descriptor

    /// Starts the waiting process.
    ///
    /// - Parameters:
    ///   - program: the absolute path of the program that the process executes later.
    ///   - arguments: the program's arguments after its name.
    /// - Throws: ``ProcessFailure`` or ``SocketError``.
    static func start(
        _ program: String, arguments: [String], environment: [String: String]
    ) throws -> HeldProcess {
        let (ours, theirs) = try Connection.pair(maximumFrame: 1)
        let process = try ChildProcess.spawn(
            executable: "/bin/sh",
            arguments: ["-c", #"read -r line && exec "$0" "$@" </dev/null"#, program] + arguments,
            environment: environment, descriptors: [(theirs.descriptor, as: 0)], output: .discarded)
        return HeldProcess(process: process, gate: ours.descriptor)
    }

    /// Lets the process execute its program.
    ///
    /// - Throws: ``FileError`` if the process has ended.
    func release() throws(FileError) {
        try gate.withNumber { (number) throws(FileError) in
            try FileWriting.writeAll([0x0A], to: number, path: "the waiting process")
        }
    }
}
