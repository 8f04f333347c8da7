// SPDX-License-Identifier: Apache-2.0

/// Receives a log line: its level, its text, and whether the text may contain personal data, which is always false.
public typealias MSALLogCallback = (MSALLogLevel, String?, Bool) -> Void

/// The settings of the library's log.
#if canImport(ObjectiveC)
    @objc(MSALLoggerConfig) @objcMembers
#endif
open class MSALLoggerConfig: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; it holds only a reference to a Sendable log.
    private let log: Log

    init(log: Log) { self.log = log }

    /// The most detailed level that reaches the callback; `info` by default (LOG-2).
    open var logLevel: MSALLogLevel {
        get { log.level }
        set { log.level = newValue }
    }

    /// The kinds of data that are masked in log lines. No line ever contains personal data, whatever the value (LOG-2).
    open var logMaskingLevel: MSALLogMaskingLevel {
        get { log.maskingLevel }
        set { log.maskingLevel = newValue }
    }

    /// Sets the callback. It can be set only once per process; a second callback is ignored and logged as an error
    /// (LOG-1).
    ///
    /// The callback runs on a serial queue of the library (THR-5).
    @preconcurrency
    open func setLogCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        log.set(callback)
    }

    /// Returns the callback that was set, or a callback that does nothing.
    open func callback() -> MSALLogCallback { log.callback ?? { _, _, _ in } }
}
