// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// The terminal at standard input while it does not show what is typed. Signals that would end or stop this process
/// meanwhile are reported instead. There may be only one at a time.
struct HiddenTerminal {
    /// A signal that has arrived.
    struct Signal: Error { let number: Int32 }
    /// The number of an error of the kernel.
    struct Failure: Error { let errno: Int32 }

    private let input: Descriptor
    private let former: termios
    private let signals: ReportedSignals

    /// Begins to hide what is typed. What was typed before is discarded.
    init() throws(Failure) {
        input = Descriptor(owning: try Self.checked(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)))
        var settings = termios()
        _ = try Self.checked(unsafe tcgetattr(STDIN_FILENO, &settings))
        former = settings
        // The handler must be there first: a signal that arrives in between would leave the terminal hidden.
        signals = try ReportedSignals([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP])
        settings.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else {
            let number = errno
            signals.restore()
            throw Failure(errno: number)
        }
    }

    private static func checked(_ result: Int32) throws(Failure) -> Int32 {
        guard result >= 0 else { throw Failure(errno: errno) }
        return result
    }

    /// Shows a question. Standard error may be something else than the terminal.
    func show(_ question: String) {
        let terminal = unsafe clinux_open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC, 0)
        defer { if terminal >= 0 { _ = close(terminal) } }
        // A question that cannot be shown must not prevent the answer.
        try? OutputOptions.write(question, to: terminal >= 0 ? terminal : STDERR_FILENO)
    }

    /// Waits until something can be read.
    ///
    /// - Throws: ``Signal`` if a signal arrives first.
    func awaitInput() throws {
        guard input.awaitReadable(unless: signals.arrivals) else { return }
        var number: UInt8 = 0
        let count = signals.arrivals.withNumber { unsafe read($0, &number, 1) }
        throw Signal(number: count == 1 ? Int32(number) : SIGTERM)
    }

    /// Shows again what is typed, and gives signals their former effect.
    func restore() {
        var former = former
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
        // The end of the typed line was hidden, too.
        show("\n")
        signals.restore()
    }
}
