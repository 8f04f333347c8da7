// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes
internal import Storage
internal import Synchronization

/// Counts the calls of administration over the network, for each caller and minute.
///
/// The counts belong to one node. They protect the node from a caller who calls too often; nothing else depends on them.
final class CallRates: Sendable {
    /// What is counted.
    enum Kind: Sendable {
        /// The calls of a person, of an application, or of an address without a token.
        case calls
        /// The tokens from an address that were refused.
        case refusals

        /// The highest number in one minute.
        var limit: Int {
            switch self {
            case .calls: 1200
            case .refusals: 60
            }
        }
    }

    private struct Key: Hashable {
        let kind: Kind
        let name: String
    }

    private struct State {
        var minute: Int64 = 0
        var counts: [Key: Int] = [:]
    }

    /// The highest number of callers that are counted in one minute. Further callers are refused.
    private static let maximumCallers = 100_000
    private static let minute: Int64 = 60_000

    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// Counts one more.
    ///
    /// - Throws: ``OperationRefusal`` if the limit is reached.
    func count(_ kind: Kind, of name: String) throws {
        let now = now().rawValue
        let isAdmitted = state.withLock { state in
            if state.minute != now / Self.minute { state = State(minute: now / Self.minute) }
            let key = Key(kind: kind, name: name)
            let count = state.counts[key]
            guard (count ?? 0) < kind.limit, count != nil || state.counts.count < Self.maximumCallers else {
                return false
            }
            state.counts[key] = (count ?? 0) + 1
            return true
        }
        guard !isAdmitted else { return }
        let rest = (Self.minute - now % Self.minute + 999) / 1000
        throw OperationRefusal(
            "admin.tooMany", status: .tooManyRequests,
            ("You have called too often within a minute.", "Wait \(rest) s, then repeat the call."),
            headers: [.retryAfter: "\(rest)"])
    }
}
