// SPDX-License-Identifier: Apache-2.0

/// Receives a log line: its level, its text, and whether the text may name a person, which it never does.
public typealias MSALLogCallback = (MSALLogLevel, String?, Bool) -> Void

/// What the library logs, and where to.
#if canImport(ObjectiveC)
    @objc(MSALLoggerConfig) @objcMembers
#endif
open class MSALLoggerConfig: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; it holds nothing but a reference to a Sendable log.
    private let log: Log

    init(log: Log) { self.log = log }

    /// The lowest level that reaches the callback, `info` at first (LOG-2).
    open var logLevel: MSALLogLevel {
        get { log.level }
        set { log.level = newValue }
    }

    /// What lines hide, everything personal at first; no line ever names a person, whatever this says (LOG-2).
    open var logMaskingLevel: MSALLogMaskingLevel {
        get { log.maskingLevel }
        set { log.maskingLevel = newValue }
    }

    /// Sets the callback, once per process; a second one is ignored and logged (LOG-1).
    ///
    /// The callback runs on a serial queue of the library (THR-5).
    @preconcurrency
    open func setLogCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        log.set(callback)
    }

    /// The callback that was set; where none was, one that does nothing.
    open func callback() -> MSALLogCallback { log.callback ?? { _, _, _ in } }
}
