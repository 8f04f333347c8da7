// SPDX-License-Identifier: Apache-2.0

/// How much the library writes to the log.
#if canImport(ObjectiveC)
    @objc(MSALLogLevel)
#endif
public enum MSALLogLevel: Int, Sendable {
    /// Nothing at all.
    case nothing = 0
    /// What an app or its developer has to mend.
    case error = 1
    /// What may become an error.
    case warning = 2
    /// What happens, in few lines.
    case info = 3
    /// Each step of each call.
    case verbose = 4

    /// The most talkative level.
    public static let last = MSALLogLevel.verbose
}
