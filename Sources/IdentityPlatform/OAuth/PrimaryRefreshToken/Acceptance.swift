// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
internal import Storage

/// The acceptance of one signed request, which must be recorded in the transaction that serves the request.
struct Acceptance: Sendable {
    /// Identifies the request.
    let digest: SHA256Digest
    /// When the nonce was issued, in seconds since 1970.
    let made: Int64
    /// Who signed the request.
    let caller: String
    /// Whether accepted requests are stored in the database, because several nodes share it.
    let isStored: Bool

    /// How long a request is stored, in seconds since its nonce was issued. After that time, no node accepts the nonce,
    /// whatever its clock shows.
    private static let memory = 2 * Nonces.lifetime

    /// Records in a transaction that the request is accepted. If the transaction is committed, no node accepts the
    /// request again.
    ///
    /// - Throws: ``OAuthError`` `replayedRequest` if a node has accepted the request before; ``StorageError``
    func record(in connection: any Connection) throws {
        guard isStored else { return }
        let added = try connection.insert(
            into: AcceptedRequest.self, [.digest: Array(digest), .expires: Timestamp(seconds: made + Self.memory)],
            "ON CONFLICT (digest) DO NOTHING")
        guard added == 1 else { throw OAuthError.replayedRequest }
    }

    /// Runs `body` in the transaction that records the acceptance, or in a read if the acceptance is not stored.
    ///
    /// - Throws: ``OAuthError`` `replayedRequest`, ``StorageError``, or the error of `body`.
    func read<T: Sendable>(
        _ database: any Database, _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        guard isStored else { return try await database.read(body) }
        return try await database.write { connection in
            try record(in: connection)
            return try body(connection)
        }
    }
}

/// The requests that one process has accepted, grouped by the period in which their nonces were issued.
struct SeenRequests {
    /// The maximum number of remembered requests. When it is reached, the server refuses new requests rather than
    /// forget earlier ones.
    private static let capacity = 1_000_000
    /// The maximum number of remembered requests of one caller, so that one device cannot use up the capacity.
    let capacityOfCaller: Int

    private struct Period {
        var digests: Set<SHA256Digest> = []
        /// The number of requests of each caller.
        var callers: [String: Int] = [:]
    }

    private var periods: [Int64: Period] = [:]

    init(capacityOfCaller: Int) { self.capacityOfCaller = capacityOfCaller }

    /// Whether there is no room for another request of a caller. Forgets the requests whose nonces have expired.
    mutating func isFull(for caller: String, at now: Int64) -> Bool {
        for period in periods.keys where (period + 2) * Nonces.lifetime <= now { periods[period] = nil }
        return periods.values.reduce(0) { $0 + $1.digests.count } >= Self.capacity
            || periods.values.reduce(0) { $0 + $1.callers[caller, default: 0] } >= capacityOfCaller
    }

    /// Remembers a request.
    ///
    /// - Returns: false if the request was remembered before.
    mutating func remember(_ acceptance: Acceptance) -> Bool {
        let period = acceptance.made / Nonces.lifetime
        guard periods[period, default: Period()].digests.insert(acceptance.digest).inserted else { return false }
        periods[period]?.callers[acceptance.caller, default: 0] += 1
        return true
    }
}
