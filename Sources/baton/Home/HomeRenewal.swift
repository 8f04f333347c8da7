// SPDX-License-Identifier: Apache-2.0
import Glibc
import JSON
import Processes
import Synchronization
import UnixSocket

/// Starts the home screen's process anew once a session has ended, so that its memory holds nothing of a worker.
///
/// The new start inherits the socket of the page: an open page waits instead of being refused, and no other program can
/// take the port. The parent of the process notices nothing.
final class HomeRenewal: Sendable {
    /// The open files that this process passes to its next start.
    private enum File: String { case page, findings }

    /// Whether this process has started anew after a session.
    let isRenewed: Bool
    let socket: LoopbackListener
    /// What the former start found out about the machine; nil if there was no former start, or if it passed nothing on.
    let findings: HomeWindow.Findings?
    private let isStopping = Atomic(false)

    private static let limits = JSONLimits(bytes: 1 << 20)

    /// Takes over what the process's former start passed on. Call this once, before the process starts a child.
    ///
    /// - Parameter port: the page's port if there was no former start; 0 for a free one.
    /// - Throws: ``SocketError`` if the page cannot be served.
    init(port: Int) throws(SocketError) {
        let former = Heritage<File>.take()
        isRenewed = former?[.page] != nil
        if let page = former?[.page] {
            socket = try LoopbackListener(page)
        } else {
            socket = try LoopbackListener(port: port)
        }
        findings = former?.content(of: .findings, limit: Self.limits.bytes).flatMap {
            try? JSONReader.read(HomeWindow.Findings.self, from: $0, limits: Self.limits)
        }
    }

    /// Notes that this process was asked to end.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Starts the process anew. Call this only while no window is open and no program opened from a tile is running.
    ///
    /// - Parameter findings: what the next start need not find out again.
    func startAnew(with findings: HomeWindow.Findings? = nil) -> Never {
        var files: [File: Descriptor] = [.page: socket.descriptor]
        if let findings, let known = try? JSONWriter.encode(findings) {
            files[.findings] = (try? MemoryFile(holding: known))?.descriptor
        }
        // From here on, a signal ends the process at once.
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if isStopping.load(ordering: .relaxed) { exit(0) }
        // If the program's file was replaced, exit, so that this process's parent starts the newly installed program.
        if OwnProgram.isReplaced { exit(0) }
        OwnProgram.unblockSignals()
        let failure = OwnProgram.startAnew(passing: files)
        let text = "baton: the home screen does not start anew: \(failure)\n"
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
        exit(1)
    }
}
