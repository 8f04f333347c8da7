// SPDX-License-Identifier: Apache-2.0

/// How much the library writes to the log.
public enum MSALLogLevel: Int, Sendable {
    case nothing = 0
    case error = 1
    case warning = 2
    case info = 3
    case verbose = 4

    /// The most talkative level.
    public static let last = MSALLogLevel.verbose
}
