// SPDX-License-Identifier: Apache-2.0

/// The log settings, under the name used before version 1.0.
@available(*, deprecated, message: "Use MSALGlobalConfig.loggerConfig.")
open class MSALLogger: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; it has no properties.
    private static let only = MSALLogger()

    /// Returns the process's only logger.
    public class func shared() -> MSALLogger { only }

    /// The most detailed level that reaches the callback.
    public var level: MSALLogLevel {
        get { MSALGlobalConfig.loggerConfig.logLevel }
        set { MSALGlobalConfig.loggerConfig.logLevel = newValue }
    }

    /// Whether log lines may contain personal data. They never do, whatever the value.
    public var piiLoggingEnabled: Bool {
        get { MSALGlobalConfig.loggerConfig.piiEnabled }
        set { MSALGlobalConfig.loggerConfig.piiEnabled = newValue }
    }

    /// Sets the callback that gets the log lines. It can be set only once per process.
    @preconcurrency
    public func setCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        MSALGlobalConfig.loggerConfig.setLogCallback(callback)
    }
}

#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALLoggerConfig {
    /// Whether log lines may contain personal data. They never do, whatever the value.
    @available(*, deprecated, renamed: "logMaskingLevel")
    public var piiEnabled: Bool {
        get { logMaskingLevel != .settingsMaskAllPII }
        set { logMaskingLevel = newValue ? .settingsMaskSecretsOnly : .settingsMaskAllPII }
    }
}
