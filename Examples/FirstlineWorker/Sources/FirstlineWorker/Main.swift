// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import SampleParts
import WorkerState
import Workers

/// `firstline-worker --config FILE [--json]`: reads commands from standard input, one per line.
@main enum Main {
    @MainActor private static var app: WorkerApp?
    @MainActor private static var signal: (any DispatchSourceSignal)?

    @MainActor static func main() {
        // Only this user may read the notes.
        umask(0o077)
        do {
            let (configuration, isJSON) = try arguments()
            try Graph.prepare()
            app = try WorkerApp(configuration, terminal: Terminal(isJSON: isJSON))
        } catch let error as ConfigurationError {
            fail("configuration: \(error.reason)")
        } catch { fail(Problem(error).message) }
        listen()
        app?.handle(.launched)
        readCommands()
        RunLoop.main.run()
    }

    private static func arguments() throws -> (Configuration, isJSON: Bool) {
        var arguments = CommandLine.arguments.dropFirst()
        let isJSON = arguments.contains("--json")
        arguments.removeAll { $0 == "--json" }
        guard arguments.count == 2, arguments.first == "--config", let path = arguments.last else {
            fail("usage: firstline-worker --config FILE [--json]")
        }
        return (try Configuration.read(path), isJSON)
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("firstline-worker: \(message)\n".utf8))
        exit(64)
    }

    /// Listens for SIGCONT: while the process was stopped, another worker may have signed in although the broker
    /// announces no change.
    @MainActor private static func listen() {
        let source = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { app?.handle(.returned) } }
        source.resume()
        signal = source
    }

    private static func readCommands() {
        Thread.detachNewThread {
            while let line = readLine() {
                if line.allSatisfy(\.isWhitespace) { continue }
                tell(.command(Command(line: line)))
            }
            tell(.inputEnded)
        }
    }

    private static func tell(_ event: WorkerModel.Event) {
        DispatchQueue.main.async { MainActor.assumeIsolated { app?.handle(event) } }
    }
}
