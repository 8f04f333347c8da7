// SPDX-License-Identifier: Apache-2.0

/// The log's settings under the name of versions before 1.0.
@available(*, deprecated, message: "Use MSALGlobalConfig.loggerConfig.")
open class MSALLogger: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; there is nothing in it.
    private static let only = MSALLogger()

    /// The one logger of the process.
    public class func shared() -> MSALLogger { only }

    /// The lowest level that reaches the callback.
    public var level: MSALLogLevel {
        get { MSALGlobalConfig.loggerConfig.logLevel }
        set { MSALGlobalConfig.loggerConfig.logLevel = newValue }
    }

    /// Whether lines may name persons, which they never do.
    public var piiLoggingEnabled: Bool {
        get { MSALGlobalConfig.loggerConfig.piiEnabled }
        set { MSALGlobalConfig.loggerConfig.piiEnabled = newValue }
    }

    /// Sets the callback, once per process.
    @preconcurrency
    public func setCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        MSALGlobalConfig.loggerConfig.setLogCallback(callback)
    }
}

#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALLoggerConfig {
    /// Whether lines may name persons, which they never do.
    @available(*, deprecated, renamed: "logMaskingLevel")
    public var piiEnabled: Bool {
        get { logMaskingLevel != .settingsMaskAllPII }
        set { logMaskingLevel = newValue ? .settingsMaskSecretsOnly : .settingsMaskAllPII }
    }
}
