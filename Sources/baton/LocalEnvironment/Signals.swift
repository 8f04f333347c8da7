// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// Signals that ask for something instead of ending the process.
struct Signals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `body` each time one of `signals` comes.
    init(_ signals: [Int32], _ body: @escaping @Sendable () -> Void) {
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.resume()
            return source
        }
    }

    /// Lets the signals go by unheard.
    func stop() { for source in sources { source.cancel() } }
}
