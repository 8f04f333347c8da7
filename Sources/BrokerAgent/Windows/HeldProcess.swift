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
    /// The other end of the process's standard input. The process waits for a line from it. If the agent ends before it
    /// writes that line, the process ends, too.
    let input: Descriptor

    /// Starts the waiting process.
    ///
    /// - Parameters:
    ///   - words: the absolute path of the program that the process executes later, and its arguments.
    ///   - files: the open files that the program inherits, besides its standard input.
    ///   - keepsInput: whether the program inherits the standard input; otherwise it gets `/dev/null`.
    /// - Throws: ``ProcessFailure`` or ``SocketError``.
    static func start(
        _ words: [String], environment: [String: String], files: [(Descriptor, as: Int32)],
        keepsInput: Bool = false
    ) throws -> HeldProcess {
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: 1)
        let script = #"read -r line && exec "$0" "$@""# + (keepsInput ? "" : " </dev/null")
        let process = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", script] + words, environment: environment,
            descriptors: [(theirs.descriptor, as: 0)] + files, output: .discarded)
        return HeldProcess(process: process, input: ours.descriptor)
    }

    /// Lets the process execute its program.
    ///
    /// - Throws: ``FileError`` if the process has ended.
    func release() throws(FileError) {
        try input.withNumber { (number) throws(FileError) in
            try FileWriting.writeAll([0x0A], to: number, path: "the waiting process")
        }
    }
}
