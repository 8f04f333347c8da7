// SPDX-License-Identifier: Apache-2.0

/// Receives a log line: its level, its text, and whether the text may name a person.
public typealias MSALLogCallback = (MSALLogLevel, String?, Bool) -> Void

/// What the library logs, and where to.
open class MSALLoggerConfig: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; it holds nothing but a reference to a Sendable log.
    private let log: Log

    init(log: Log) { self.log = log }

    /// The lowest level that reaches the callback, `info` at first.
    open var logLevel: MSALLogLevel {
        get { log.level }
        set { log.level = newValue }
    }

    /// Sets the callback, once per process; a second one is ignored and logged.
    ///
    /// The callback runs on a serial queue of the library.
    @preconcurrency
    open func setLogCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        log.set(callback)
    }
}
