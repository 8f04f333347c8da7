// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Dispatch
import FoundationEssentials
import Glibc
import Processes
import Synchronization
import UnixSocket

/// A sample app that the demo starts and controls: commands are lines of text, output is one JSON object per line.
final class SampleApp: Sendable {
    typealias Line = [String: String]

    let number: Int
    let process: ChildProcess
    private let input: Descriptor
    private let received = Mutex<[Line]>([])
    private let news = DispatchSemaphore(value: 0)

    /// Seconds without an answer after which the demo fails.
    private static let patience = 60.0

    init(number: Int, local: LocalEnvironment) throws {
        self.number = number
        let (childInput, ours) = try Self.pipe()
        let (theirs, childOutput) = try Self.pipe()
        input = ours
        var environment = ProcessInfo.processInfo.environment
        environment["BATON_SOCKET"] = local.layout.run + "/broker.sock"
        process = try ChildProcess.spawnBound(
            executable: local.programs.firstlineWorker,
            arguments: ["--config", local.configuration(of: number), "--json"],
            environment: environment, descriptors: [(childInput, as: STDIN_FILENO), (childOutput, as: STDOUT_FILENO)])
        try BlockingThread.start { [self] in listen(theirs) }
    }

    private static func pipe() throws -> (read: Descriptor, write: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw CommandFailure(code: "no_pipe", message: "No pipe for an app.", remedy: "Close other programs.")
        }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    private func listen(_ output: Descriptor) {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = output.withNumber { number in unsafe read(number, &chunk, chunk.count) }
            guard count > 0 else { return }
            rest += chunk[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let line = try? JSONDecoder().decode(Line.self, from: Data(rest[..<end])) {
                    received.withLock { $0.append(line) }
                    news.signal()
                }
                rest.removeSubrange(...end)
            }
        }
    }

    /// Sends a line.
    func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = input.withNumber { number in unsafe write(number, bytes, bytes.count) }
    }

    /// Waits for the next line that `matches`, and drops the lines before it.
    ///
    /// - Throws: ``StoryFailure`` if no such line arrives in time.
    func receive(_ what: String, where matches: (Line) -> Bool) throws -> Line {
        let deadline = DispatchTime.now() + Self.patience
        while true {
            let line: Line? = received.withLock { received in
                guard let index = received.firstIndex(where: matches) else { return nil }
                defer { received.removeSubrange(...index) }
                return received[index]
            }
            if let line { return line }
            guard news.wait(timeout: deadline) == .success else {
                throw StoryFailure("app \(number) did not say: \(what)")
            }
        }
    }

    /// Sends a command and returns the app's answer.
    func ask(_ command: String) throws -> Line {
        let name = command.split(separator: " ").first.map(String.init) ?? command
        forget()
        type(command)
        return try receive("the answer to \(name)") { $0["answer"] == name }
    }

    /// Drops the lines received so far.
    func forget() { received.withLock { $0.removeAll() } }

    /// The lines that were received and not consumed yet, as text.
    var unread: String { received.withLock { "\($0)" } }

    func send(_ signal: Int32) { process.send(signal) }

    func stop() throws {
        process.send(SIGCONT)
        process.kill()
        _ = try process.waitForExit()
    }
}

/// A step of the demo failed.
struct StoryFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
