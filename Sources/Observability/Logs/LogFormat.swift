// SPDX-License-Identifier: Apache-2.0
package import Logging
internal import Synchronization

/// The format in which a program writes its log to standard error.
package enum LogFormat: String, Sendable, Codable, CaseIterable {
    /// One line of text for each message: time, level, label, metadata, message.
    case text
    /// One JSON object on a line for each message; see ``JSONLogHandler``.
    case json

    private static let chosen = Mutex(LogFormat.text)

    /// The format of this process.
    package static var current: LogFormat { chosen.withLock { $0 } }

    /// Makes all loggers of this process write this format. Call this once, before the first message.
    package func bootstrap(level: Logger.Level) {
        Self.chosen.withLock { $0 = self }
        LoggingSystem.bootstrap { label -> any LogHandler in
            switch self {
            case .text:
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = level
                return handler
            case .json:
                var handler = JSONLogHandler()
                handler.logLevel = level
                return handler
            }
        }
    }
}
