// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// Handles signals that would otherwise end the process.
struct Signals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `body` each time one of `signals` arrives.
    init(_ signals: [Int32], _ body: @escaping @Sendable () -> Void) {
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.resume()
            return source
        }
    }

    /// Stops handling; the signals are ignored from then on.
    func stop() { for source in sources { source.cancel() } }
}
