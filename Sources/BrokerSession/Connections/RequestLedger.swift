// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
internal import DeviceHTTPS
package import SessionIPC
internal import Synchronization

/// Limits the memory that open requests and long frames take in the session process, in KiB.
///
/// Each process has ``guaranteed`` KiB of its own. Anything beyond that comes from a pool. Each process, each app and
/// each user may take only a limited share of this pool. If a program takes as much as it can, only its own requests
/// are refused; other processes can still send sign-outs and acknowledgements. The total is bounded because the number
/// of connections is bounded (``ConnectionLimits``).
package final class RequestLedger: Sendable {
    /// Whether a request is admitted. A refusal names the limit that was reached, and how many KiB are counted against
    /// it.
    package enum Admission: Sendable, Equatable {
        case admitted
        case refused(ConnectionLimitReport.Limit, held: Int)
    }

    private struct State {
        /// The KiB used by each process.
        var processes: [AppProcess: Int] = [:]
        /// The KiB taken from the pool by each app, by each user and in total.
        var apps: [ConnectedApp: Int] = [:]
        var users: [UInt32: Int] = [:]
        var total = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The KiB that are reserved for each process: enough for about eight short requests.
    static let guaranteed = 32
    private static let limits = ConnectionLimits(process: 2048, session: 6144, app: 2048, user: 8192, total: 12_288)

    /// The frame length in bytes above which a frame is counted before it is read. Such frames are accepted only after
    /// the hello, and not on a connection that acknowledges an ended epoch.
    static let longFrame = 64 << 10

    package static func size(ofFrame bytes: Int) -> Int { bytes > longFrame ? bytes / 1024 : 0 }

    package static func size(of request: Request) -> Int {
        4 + request.parameters.byteCount / 1024
    }

    /// Takes this many KiB for a process, if its limits allow.
    package func take(_ size: Int, for process: AppProcess) -> Admission {
        guard size > 0 else { return .admitted }
        return state.withLock { state in
            if let refusal = Self.refusal(of: size, for: process, in: state) { return refusal }
            Self.add(size, for: process, in: &state)
            return .admitted
        }
    }

    package func giveBack(_ size: Int, for process: AppProcess) {
        guard size > 0 else { return }
        state.withLock { Self.add(-size, for: process, in: &$0) }
    }

    private static func refusal(of size: Int, for process: AppProcess, in state: State) -> Admission? {
        let own = state.processes[process, default: 0]
        guard own + size <= limits.process else { return .refused(.process, held: own) }
        let more = fromPool(own + size) - fromPool(own)
        guard more > 0 else { return nil }
        let app = state.apps[process.app, default: 0]
        guard app + more <= limits.most(of: process.app) else { return .refused(.app, held: app) }
        let user = state.users[process.app.user, default: 0]
        guard user + more <= limits.user else { return .refused(.user, held: user) }
        return state.total + more <= limits.total ? nil : .refused(.total, held: state.total)
    }

    private static func add(_ size: Int, for process: AppProcess, in state: inout State) {
        let own = state.processes[process, default: 0]
        let more = fromPool(own + size) - fromPool(own)
        add(size, to: &state.processes[process])
        add(more, to: &state.apps[process.app])
        add(more, to: &state.users[process.app.user])
        state.total += more
    }

    /// Adds to a count, and removes the count when it reaches zero.
    private static func add(_ size: Int, to count: inout Int?) {
        let sum = (count ?? 0) + size
        count = sum > 0 ? sum : nil
    }

    /// The part of a process's KiB that comes from the pool.
    private static func fromPool(_ own: Int) -> Int { max(0, own - guaranteed) }
}
