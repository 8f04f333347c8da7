// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes
internal import Redaction
internal import Synchronization
internal import UnixSocket

/// The native messaging host of the worker's browser. It reads questions from standard input, asks the broker and
/// writes the answers to standard output until the browser closes its end.
package final class HostService: Sendable {
    /// How the host ended.
    package enum End: Sendable, Equatable {
        case closed
        /// The input could not be read, ended in the middle of a message, or contained a message that is too long.
        case broken
    }

    /// Answers one question; blocks.
    package typealias Answering = @Sendable (HostQuestion) -> Result<HostAnswer, HostRefusal>

    private let answer: Answering
    private let output: Int32
    private let readySocket: String?
    private let browser: String
    private let writing = Mutex<Bool>(true)
    private let open = Mutex(0)

    /// The maximum number of questions that are answered at the same time. A person does not open as many pages at
    /// once.
    private static let maximumOpen = 16
    /// Milliseconds to wait for room in the agent's socket.
    private static let patience: Int32 = 1000

    /// - Parameters:
    ///   - output: the descriptor for answers, such as standard output.
    ///   - readySocket: the path of a datagram socket, to which `browser` is sent when the extension is ready. From then on,
    ///     pages open signed in.
    ///   - browser: the number that the agent gave to the browser.
    package init(
        output: Int32, readySocket: String? = nil, browser: String = "", answer: @escaping Answering
    ) {
        (self.output, self.readySocket, self.browser, self.answer) = (output, readySocket, browser, answer)
    }

    /// Answers the questions from `input`; blocks.
    package func run(input: Int32) -> End {
        var reader = NativeMessageReader()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 && reader.isBetweenMessages ? .closed : .broken }
            let messages: [[UInt8]]
            do throws(NativeMessageReader.TooLong) { messages = try reader.take(buffer[..<count]) } catch {
                say(.failure(HostRefusal(.tooLong, of: nil)), to: nil)
                return .broken
            }
            for message in messages { take(message) }
        }
    }

    private func take(_ message: [UInt8]) {
        let question: HostQuestion
        do throws(HostRefusal) { question = try HostQuestion(message) } catch {
            return say(.failure(error), to: error.id)
        }
        let isAdmitted = open.withLock { open in
            guard open < Self.maximumOpen else { return false }
            open += 1
            return true
        }
        guard isAdmitted else { return say(.failure(HostRefusal(.tooMany, of: question.id)), to: question.id) }
        do {
            try BlockingThread.start { [self] in
                serve(question)
                open.withLock { $0 -= 1 }
            }
        } catch {
            open.withLock { $0 -= 1 }
            say(.failure(HostRefusal(.tooMany, of: question.id)), to: question.id)
        }
    }

    private func serve(_ question: HostQuestion) {
        if question.wish == .ready { tellAgent() }
        say(question.wish == .ready ? .success(.noted) : answer(question), to: question.id)
    }

    private func tellAgent() {
        guard let readySocket else { return }
        // If the message does not arrive, the agent opens the waiting pages when its wait is over.
        try? ServiceNotification.send(browser, to: readySocket, patience: Self.patience)
    }

    private func say(_ outcome: Result<HostAnswer, HostRefusal>, to id: Int?) {
        var message = HostAnswer.message(outcome, to: id)
        defer { wipe(&message) }
        let frame =
            NativeMessageReader.frame(message)
            ?? NativeMessageReader.frame(HostAnswer.message(.failure(HostRefusal(.answer, of: id)), to: id))
        guard var frame else { return }
        defer { wipe(&frame) }
        writing.withLock { isWritable in
            guard isWritable else { return }
            // After an incomplete message, the browser cannot read another message.
            do throws(FileError) { try FileWriting.writeAll(frame, to: output, path: "standard output") } catch {
                isWritable = false
            }
        }
    }
}
