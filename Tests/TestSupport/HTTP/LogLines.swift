// SPDX-License-Identifier: Apache-2.0
package import Logging
internal import Synchronization

/// The log output during a test, as lines of text.
package final class LogLines: Sendable {
    private let taken = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { taken.withLock { $0 } }

    /// A logger that passes everything to this object.
    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    /// A logger that drops everything.
    package static var dropped: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let pairs = all.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            lines.taken.withLock { $0.append("\(event.level) \(event.message) \(pairs)") }
        }
    }
}
