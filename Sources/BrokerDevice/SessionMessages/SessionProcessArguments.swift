// SPDX-License-Identifier: Apache-2.0

/// The arguments with which the supervisor starts its own program as a session process.
package struct SessionProcessArguments: Sendable, Equatable {
    /// The least severe messages to log, as `Logger.Level` names them.
    package let logLevel: String

    package init(logLevel: String) { self.logLevel = logLevel }

    /// Reads the arguments; nil if they are not those of a session process.
    package init?(_ words: [String]) {
        guard words.count == 3, words.starts(with: Self.beginning) else { return nil }
        logLevel = words[2]
    }

    package var words: [String] { Self.beginning + [logLevel] }

    private static let beginning = ["session", "--log-level"]
}
