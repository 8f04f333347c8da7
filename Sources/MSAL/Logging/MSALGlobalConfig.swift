// SPDX-License-Identifier: Apache-2.0

/// Settings of the whole process.
open class MSALGlobalConfig: NSObject {
    @available(*, unavailable, message: "MSALGlobalConfig has class members only.")
    public override init() { super.init() }

    private static let logger = MSALLoggerConfig(log: .shared)

    /// The settings of the log.
    open class var loggerConfig: MSALLoggerConfig { logger }
}
