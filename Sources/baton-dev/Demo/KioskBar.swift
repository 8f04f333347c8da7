// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Processes
import UnixSocket

/// The bar of a kiosk session, as `swaybar` starts it. Nobody sees its output.
struct KioskBar {
    let process: ChildProcess
    /// The writing end of the bar's standard input. The bar exits when this end is closed.
    private let input: Descriptor

    init(_ local: LocalEnvironment) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw StoryFailure("there is no pipe for the bar") }
        let end = Descriptor(owning: ends[0])
        input = Descriptor(owning: ends[1])
        process = try ChildProcess.spawnBound(
            through: local.deviceWrapper, executable: local.programs.baton,
            arguments: ["home", "--bar", "--runtime-directory", local.layout.run],
            environment: ProcessInfo.processInfo.environment, descriptors: [(end, as: STDIN_FILENO)], output: .discarded
        )
    }

    /// Waits until the bar has exited, which it does after each session.
    func awaitEnd() async throws {
        let status = try await blocking { [process] in try process.waitForExit() }
        try check(status.isSuccess, "the bar ended with \(status.text)")
    }
}
