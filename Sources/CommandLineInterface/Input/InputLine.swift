// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import Glibc
internal import Redaction

/// Lines that a command reads from standard input.
package enum InputLine {
    /// Reads one line and returns it without the line break, or returns nil at the end of the input. What follows the line
    /// stays in the input.
    ///
    /// - Throws: ``CommandFailure`` `input_not_utf8` or `input_unreadable`.
    package static func read() throws -> String? { try text() }

    /// Reads a line as ``read()`` does. At a terminal, asks for it and does not show what is typed. Whatever ends or
    /// stops the command meanwhile, the terminal shows again what is typed.
    ///
    /// - Throws: ``CommandFailure``, also `input_interrupted` if a signal arrives that ends programs.
    package static func readHidden(asking question: String) throws -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return try read() }
        while true {
            do { return try ask(question) } catch let arrived as HiddenTerminal.Signal {
                guard arrived.number == SIGTSTP else { throw interrupted(by: arrived.number) }
                stop()
            }
        }
    }

    /// Stops this process, and returns when it is continued.
    private static func stop() {
        var (stopping, former) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&stopping)
        unsafe sigaddset(&stopping, SIGTSTP)
        // The threads of Dispatch block signals.
        unsafe pthread_sigmask(SIG_UNBLOCK, &stopping, &former)
        raise(SIGTSTP)
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    private static func ask(_ question: String) throws -> String? {
        let terminal: HiddenTerminal
        do { terminal = try HiddenTerminal() } catch { throw unreadable(error.errno) }
        defer { terminal.restore() }
        terminal.show(question)
        return try text(after: terminal.awaitInput)
    }

    /// Reads a line.
    ///
    /// - Parameter wait: waits until there is something to read.
    private static func text(after wait: () throws -> Void = {}) throws -> String? {
        var line: [UInt8] = []
        defer { wipe(&line) }
        while true {
            try wait()
            var byte: UInt8 = 0
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, line.count < limit else { throw unreadable(count < 0 ? errno : EFBIG) }
            if count == 0, line.isEmpty { return nil }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else { throw notText }
        return text
    }

    private static let limit = 64 << 10

    private static let notText = CommandFailure(
        code: "input_not_utf8", message: "The line on standard input is not UTF-8 text. Nothing was changed.",
        remedy: "Write it in UTF-8. At a terminal, check the locale: locale charmap.")

    private static func unreadable(_ number: Int32) -> CommandFailure {
        CommandFailure(
            code: "input_unreadable",
            message: "Standard input cannot be read: \(unsafe String(cString: strerror(number))).",
            remedy: "Type the line at a terminal, or pipe one line in.")
    }

    /// Returns the failure for a question that a signal ended. Its exit code is 128 plus the signal's number, as in a
    /// shell.
    private static func interrupted(by number: Int32) -> CommandFailure {
        CommandFailure(
            code: "input_interrupted", message: "The input was interrupted. Nothing was changed.",
            remedy: "Run the command again.", exitCode: ExitCode(128 + number))
    }
}
