// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Synchronization
internal import UnixSocket

/// Signals that are reported to this process instead of having their effect. Signals that this process ignores stay
/// ignored. There may be only one such value at a time.
struct ReportedSignals {
    /// Where the number of each signal arrives, as one byte.
    let arrivals: Descriptor
    private let handler: Descriptor
    private let former: [(signal: Int32, action: sigaction)]

    init(_ signals: [Int32]) throws(HiddenTerminal.Failure) {
        var ends: [Int32] = [0, 0]
        let made = unsafe clinux_socket_pair(&ends)
        guard made == 0 else { throw HiddenTerminal.Failure(errno: -made) }
        (arrivals, handler) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        handler.withNumber { handlersEnd.store($0, ordering: .releasing) }
        var former: [(signal: Int32, action: sigaction)] = []
        for signal in signals {
            var (present, own) = (sigaction(), sigaction())
            guard unsafe sigaction(signal, nil, &present) == 0, !Self.isIgnoring(present) else { continue }
            unsafe own.__sigaction_handler.sa_handler = report
            own.sa_flags = SA_RESTART
            guard unsafe sigaction(signal, &own, nil) == 0 else { continue }
            former.append((signal, present))
        }
        self.former = former
    }

    private static func isIgnoring(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Gives the signals the effect that they had before.
    func restore() {
        for (signal, action) in former {
            var action = action
            _ = unsafe sigaction(signal, &action, nil)
        }
    }
}

/// The descriptor to which the handler writes.
private let handlersEnd = Atomic<Int32>(-1)

/// The handler of signals. It may call only functions that are safe in handlers (signal-safety(7)).
private func report(_ signal: Int32) {
    let number = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    // If nothing can be written, a signal before this one still waits to be read.
    _ = unsafe write(handlersEnd.load(ordering: .acquiring), &byte, 1)
    errno = number
}
