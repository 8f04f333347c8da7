// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Processes
internal import Synchronization

/// The programs that were opened from tiles. They run as the home screen's user and end with the worker's session.
final class TilePrograms: Sendable {
    /// The environment variable that marks the programs. The processes that a program starts inherit it, unless the
    /// program removes it.
    private static let mark = "BATON_HOME_SCREEN"

    /// A program that exits sooner than this after its start counts as not opened.
    private static let shortest = Duration.seconds(2)

    private let environment: [String: String]
    /// Distinguishes the programs of this device from the programs of another device of the same user.
    private let value: String
    private let running = Mutex<[Int: ChildProcess]>([:])

    /// - Parameters:
    ///   - environment: the environment of the programs.
    ///   - device: the folder of the broker's sockets, which names the device.
    init(environment: [String: String], device: String) {
        // The colon ends the device's name, so that no other device's value begins with this value.
        (self.environment, value) = (environment, device + ":")
    }

    /// Starts a tile's program unless it is already running. Blocks briefly.
    ///
    /// - Parameter report: receives the program's states, on any thread.
    func open(
        _ tile: Int, program: String, arguments: [String],
        report: @escaping @Sendable (HomeModel.TileState) -> Void
    ) {
        if running.withLock({ $0[tile] != nil }) { return report(.running) }
        do throws(ProcessFailure) {
            let process = try ChildProcess.spawn(
                executable: program, arguments: arguments,
                environment: environment.merging([Self.mark: value]) { _, own in own }, output: .discarded)
            running.withLock { $0[tile] = process }
            watch(process, of: tile, report: report)
            report(.running)
        } catch {
            report(error.errno == ENOENT || error.errno == EACCES ? .missing : .failed)
        }
    }

    private func watch(
        _ process: ChildProcess, of tile: Int, report: @escaping @Sendable (HomeModel.TileState) -> Void
    ) {
        let started = ContinuousClock.now
        do {
            try BlockingThread.start { [self] in
                _ = try? process.waitForExit()
                running.withLock { if $0[tile]?.pid == process.pid { $0[tile] = nil } }
                report(started.duration(to: .now) < Self.shortest ? .endedAtOnce : .idle)
            }
        } catch {
            // Without the thread, the end of the program would not be noticed.
            process.kill()
            running.withLock { $0[tile] = nil }
            report(.failed)
        }
    }

    /// Kills every program and the processes that it started, and waits until they have ended. This includes the
    /// programs of an earlier home screen that was killed.
    ///
    /// - Throws: ``ProcessFailure``.
    func end() throws(ProcessFailure) { try ProcessSweep.endMarked("\(Self.mark)=\(value)") }
}
