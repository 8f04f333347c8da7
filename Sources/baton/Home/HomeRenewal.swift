// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Synchronization

/// Starts the home screen's process anew once a session has ended, so that its memory holds nothing of a worker.
///
/// The new start has the port of the old one, so that an open page goes on, and its parent notices nothing.
final class HomeRenewal: Sendable {
    /// The option that holds the port of the start before.
    static let option = "--former-port"

    private let port = Mutex(0)
    private let isStopping = Atomic(false)

    /// Notes the page's address.
    func serves(_ address: String) {
        let digits = address.split(separator: ":").last?.prefix { $0.isNumber }
        port.withLock { $0 = digits.flatMap { Int($0) } ?? 0 }
    }

    /// Notes that this process was asked to end.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    func startAnew() -> Never {
        // From here on, a signal ends the process at once.
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if isStopping.load(ordering: .relaxed) { exit(0) }
        // Whatever started this program must start the installed one.
        if OwnProgram.isReplaced { exit(0) }
        var words = Array(CommandLine.arguments.dropFirst())
        if let former = words.firstIndex(of: Self.option) { words.removeSubrange(former...(former + 1)) }
        words += [Self.option, String(port.withLock(\.self))]
        OwnProgram.unblockSignals()
        let failure = OwnProgram.startAnew(arguments: words)
        let text = "baton: the home screen does not start anew: \(failure)\n"
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
        exit(1)
    }
}
