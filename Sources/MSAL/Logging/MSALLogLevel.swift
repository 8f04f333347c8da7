// SPDX-License-Identifier: Apache-2.0

/// How much the library writes to the log.
#if canImport(ObjectiveC)
    @objc(MSALLogLevel)
#endif
public enum MSALLogLevel: Int, Sendable {
    /// Nothing.
    case nothing = 0
    /// Errors that an app or its developer must fix.
    case error = 1
    /// Conditions that may become errors.
    case warning = 2
    /// Important events, in few lines.
    case info = 3
    /// Each step of each call.
    case verbose = 4

    /// The most detailed level.
    public static let last = MSALLogLevel.verbose
}
