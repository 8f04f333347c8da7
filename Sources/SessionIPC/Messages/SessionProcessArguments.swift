// SPDX-License-Identifier: Apache-2.0

/// The arguments with which the supervisor starts its own program as a session process.
package struct SessionProcessArguments: Sendable, Equatable {
    /// The least severe messages to log, as `Logger.Level` names them.
    package let logLevel: String
    /// The format of the log, as `LogFormat` names it.
    package let logFormat: String

    package init(logLevel: String, logFormat: String) { (self.logLevel, self.logFormat) = (logLevel, logFormat) }

    /// Reads the arguments; nil if they are not the arguments of a session process.
    package init?(_ words: [String]) {
        guard words.count == 5, words.starts(with: Self.beginning), words[3] == Self.format else { return nil }
        (logLevel, logFormat) = (words[2], words[4])
    }

    package var words: [String] { Self.beginning + [logLevel, Self.format, logFormat] }

    private static let beginning = ["session", "--log-level"]
    private static let format = "--log-format"
}
