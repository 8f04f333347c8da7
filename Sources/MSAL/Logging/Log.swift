// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// Passes the library's log lines to the app's callback.
///
/// Lines contain no token, no user name and no user id. They go through one serial queue. If the app is too slow, lines
/// are dropped and counted, so that logging never blocks the library.
final class Log: Sendable {
    static let shared = Log()

    private static let capacity = 1000

    private struct State {
        var level = MSALLogLevel.info
        var maskingLevel = MSALLogMaskingLevel.settingsMaskAllPII
        var callback: (@Sendable (MSALLogLevel, String?, Bool) -> Void)?
        var pending = 0
        var dropped = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "org.baton.msal.log")

    var level: MSALLogLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    var maskingLevel: MSALLogMaskingLevel {
        get { state.withLock { $0.maskingLevel } }
        set { state.withLock { $0.maskingLevel = newValue } }
    }

    /// The app's callback, if one is set.
    var callback: (@Sendable (MSALLogLevel, String?, Bool) -> Void)? { state.withLock { $0.callback } }

    /// Sets the app's callback; only the first one of a process is used.
    func set(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        let isFirst = state.withLock { state in
            guard state.callback == nil else { return false }
            state.callback = callback
            return true
        }
        if !isFirst { write(.error, "The log callback was set already. Set it once, when the process starts.") }
    }

    func error(_ message: @autoclosure () -> String) { write(.error, message()) }
    func info(_ message: @autoclosure () -> String) { write(.info, message()) }
    func verbose(_ message: @autoclosure () -> String) { write(.verbose, message()) }

    private func write(_ level: MSALLogLevel, _ message: @autoclosure () -> String) {
        guard state.withLock({ $0.callback != nil && level.rawValue <= $0.level.rawValue }) else { return }
        let line = message()
        let callback = state.withLock { state -> (@Sendable (MSALLogLevel, String?, Bool) -> Void)? in
            guard state.pending < Self.capacity else {
                state.dropped += 1
                return nil
            }
            state.pending += 1
            return state.callback
        }
        guard let callback else { return }
        queue.async { [self] in
            let dropped = state.withLock { state in
                defer { state.dropped = 0 }
                state.pending -= 1
                return state.dropped
            }
            if dropped > 0 { callback(.warning, "\(dropped) log lines were left out.", false) }
            callback(level, line, false)
        }
    }
}
