// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceHTTPS
internal import DeviceSettings
internal import SessionIPC

/// Owns the session process's unanswered requests to open a page for the worker. Each request is answered once, unless
/// the session process ends first.
final class PageRequests {
    /// The ids of the session process's requests, by the ids of the orders to the agent.
    private var requests: [UInt64: UInt64] = [:]
    private var count: UInt64 = 0
    private let sessionProcess: SessionProcess
    private let timer: InputTimer

    /// The maximum number of requests that may wait at once.
    private static let maximum = 16
    /// How long a request waits. The agent itself waits ten seconds for a browser to start.
    private static let patience = Duration.seconds(15)

    init(sessionProcess: SessionProcess, timer: InputTimer) {
        (self.sessionProcess, self.timer) = (sessionProcess, timer)
    }

    /// Keeps a request until its order is settled, for a limited time.
    ///
    /// - Returns: the order's id; nil if too many requests wait.
    func begin(_ requestID: UInt64) -> UInt64? {
        guard requests.count < Self.maximum else { return nil }
        count += 1
        let id = AgentOrder.pages + count
        requests[id] = requestID
        timer.post(.pageOverdue(id), after: Self.patience)
        return id
    }

    /// Answers the request that this order belongs to; does nothing if that request has been answered.
    ///
    /// - Parameter failure: why the page is not shown; nil if the page is shown.
    func settle(_ id: UInt64, _ failure: PageFailure?) {
        guard let requestID = requests.removeValue(forKey: id) else { return }
        sessionProcess.tell(.pageSettled(requestID: requestID, failure))
    }

    /// Answers the request after the agent has failed to report in time whether the browser shows the page.
    func overdue(_ id: UInt64) { settle(id, .unconfirmed) }

    /// Answers every request that waits.
    func fail(_ failure: PageFailure) {
        for id in requests.keys.sorted() { settle(id, failure) }
    }

    /// Drops the requests of a session process that has ended.
    func drop() { requests = [:] }
}

extension PageFailure {
    /// Converts the agent's failure code.
    init(code: String) {
        self =
            switch AgentFailure.Code(rawValue: code) {
            case .addressBlocked: .blocked
            case .browserSilent: .unconfirmed
            default: .notShown
            }
    }
}
