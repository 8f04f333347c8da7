// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// The library's log lines on their way to the app's callback.
///
/// Lines hold no token, no name and no id of a user. They travel over one serial queue; when the app does not keep up,
/// lines are left out and counted rather than holding up the library.
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

    /// The app's callback, where it has set one.
    var callback: (@Sendable (MSALLogLevel, String?, Bool) -> Void)? { state.withLock { $0.callback } }

    /// Takes the app's callback; only the first one of a process counts.
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
