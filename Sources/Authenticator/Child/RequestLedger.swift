// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Synchronization

/// What the open requests and the long frames of apps weigh, about a KiB each: so much of one process, and in all.
package final class RequestLedger: Sendable {
    private struct State {
        var total = 0
        var processes: [AppProcess: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    private static let maximumOfProcess = 2048
    private static let maximum = 12_288

    /// Frames that are longer are weighed before they are read.
    static let longFrame = 64 << 10

    package static func weight(ofFrame bytes: Int) -> Int { bytes > longFrame ? bytes / 1024 : 0 }

    package static func weight(of request: Request) -> Int {
        4 + request.parameters.byteCount / 1024
    }

    /// Takes on something of this weight, where there is room for it.
    package func take(_ weight: Int, of process: AppProcess) -> Bool {
        guard weight > 0 else { return true }
        return state.withLock { state in
            let own = state.processes[process, default: 0] + weight
            guard own <= Self.maximumOfProcess, state.total + weight <= Self.maximum else { return false }
            state.processes[process] = own
            state.total += weight
            return true
        }
    }

    package func giveBack(_ weight: Int, of process: AppProcess) {
        guard weight > 0 else { return }
        state.withLock { state in
            state.total -= weight
            let own = state.processes[process, default: 0] - weight
            state.processes[process] = own > 0 ? own : nil
        }
    }
}
