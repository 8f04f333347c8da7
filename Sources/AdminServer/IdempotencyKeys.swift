// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
package import Storage
internal import Synchronization

/// The key of a request that may be sent again without being carried out again (`Idempotency-Key`).
package struct IdempotencyKey: Sendable {
    /// The account of the caller who chose the key. Keys of different callers do not conflict.
    let caller: String
    let text: String
    /// A digest of the request. A key belongs to one request only.
    let digest: [UInt8]
    /// Distinguishes this arrival of the request from others with the same key.
    let attempt: String

    /// Reads the key of a call; nil if the call has none.
    ///
    /// - Parameter body: the whole body.
    /// - Throws: ``OperationRefusal`` if the key is malformed, or if the operation does not take one.
    init?(_ operation: AdminOperation, by caller: AdminCaller, _ request: Request, body: [UInt8]) throws {
        guard let text = request.headers[.idempotencyKey] else { return nil }
        guard operation.method == .post else {
            throw OperationRefusal(
                "admin.idempotency.method", status: .badRequest,
                (
                    "Only POST takes an Idempotency-Key.",
                    "Leave the field out: the other methods can be repeated without it."
                ))
        }
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw OperationRefusal(
                "admin.idempotency.key", status: .badRequest,
                ("The Idempotency-Key is malformed.", "Use 1 to 64 visible ASCII characters, such as a UUID."))
        }
        self.text = text
        self.caller = caller.account
        digest = Array(SHA256.hash(data: Array("\(operation.id)\n\(request.uri.string)\n".utf8) + body))
        attempt = UUID().uuidString
    }
}

/// A request that was carried out under an idempotency key.
struct IdempotentRequest: Record {
    let digest: [UInt8]
    let attempt: String
    /// The status of the answer; nil until the answer is known.
    let status: Int64?
    /// The body of the answer; nil if it is not kept.
    let reply: [UInt8]?

    static let table = "idempotency"
    static let unread: Set<Column> = [.caller, .key, .began]
    enum Column: String, ColumnName { case caller, key, digest, attempt, began, status, reply }

    init(_ row: TableRow<IdempotentRequest>) throws {
        (digest, attempt) = (try row[.digest], try row[.attempt])
        (status, reply) = (try row[.status], try row[.reply])
    }
}

/// The requests with a key that one node is carrying out.
private final class RunningRequests: Sendable {
    private struct Name: Hashable {
        let caller: String
        let key: String

        init(_ key: IdempotencyKey) { (caller, self.key) = (key.caller, key.text) }
    }

    private let digests = Mutex<[Name: [UInt8]]>([:])

    /// Begins a request. If one with the same key has begun already, returns its digest.
    func begin(_ key: IdempotencyKey) -> [UInt8]? {
        digests.withLock { digests in
            if let present = digests[Name(key)] { return present }
            digests[Name(key)] = key.digest
            return nil
        }
    }

    func end(_ key: IdempotencyKey) { digests.withLock { $0[Name(key)] = nil } }
}

/// The idempotency keys in one engine's database.
///
/// A key is stored in the transaction of the act, so an act is never carried out twice under one key. The answer is
/// stored afterwards. If the server stops in between, a repeated request is told that the act was carried out.
package struct IdempotencyKeys: Sendable {
    private let database: any Database
    /// The requests that this node is carrying out.
    private let running = RunningRequests()

    package init(_ database: any Database) { self.database = database }

    /// For how long a key is kept at most.
    package static let lifetime = Duration.seconds(86_400)
    /// For how long a key is kept at least, however many keys the caller uses.
    package static let assuredLifetime = Duration.seconds(3600)
    /// The highest number of keys of one caller.
    package static let maximum = 10_000

    package static let migrations = [
        Migration(
            "idempotency keys", allowsPrevious: true,
            [
                """
                CREATE TABLE idempotency (
                    caller TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, attempt TEXT NOT NULL,
                    began BIGINT NOT NULL, status BIGINT, reply BLOB, PRIMARY KEY (caller, key))
                """,
                "CREATE INDEX idempotencyByTime ON idempotency (began)",
            ])
    ]

    /// Runs a request, unless this node is already carrying out one with the same key.
    ///
    /// - Throws: ``OperationRefusal``, or the error of `body`.
    func alone<Outcome: Sendable>(_ key: IdempotencyKey, _ body: () async throws -> Outcome) async throws -> Outcome {
        if let digest = running.begin(key) { throw digest == key.digest ? Self.stillRunning : Self.reused }
        defer { running.end(key) }
        return try await body()
    }

    /// Returns the answer to an earlier request with the same key; nil if there was none.
    ///
    /// - Throws: ``OperationRefusal`` if the key belongs to another request, or if the answer is not known.
    ///   ``StorageError``
    func answer(to key: IdempotencyKey, of operation: AdminOperation) async throws -> Response? {
        let earlier = try await database.read { connection in
            try connection.record(
                IdempotentRequest.self, "WHERE caller = \(key.caller) AND key = \(key.text)")
        }
        guard let earlier else { return nil }
        // Of a forgotten request, only the key is known.
        guard earlier.digest.isEmpty || earlier.digest == key.digest else { throw Self.reused }
        guard !operation.hasSecretReply else { throw Self.secret }
        guard let status = earlier.status, let reply = earlier.reply else { throw Self.unfinished }
        let (code, replayed) = (
            HTTPResponse.Status(code: Int(status)), HTTPFields([.init(name: .idempotencyReplayed, value: "true")])
        )
        return reply.isEmpty ? Response(status: code, headers: replayed) : Response(status: code, json: reply, replayed)
    }

    /// Stores a key in the transaction of the act.
    ///
    /// If the caller has too many keys, those that are older than ``assuredLifetime`` are removed.
    ///
    /// - Throws: ``OperationRefusal`` if another request with the key was carried out meanwhile, or if the caller has
    ///   too many newer keys; ``StorageError``
    static func begin(_ key: IdempotencyKey, at now: Timestamp, in connection: any Connection) throws {
        let isNew =
            try connection.insert(
                into: IdempotentRequest.self,
                [
                    .caller: key.caller, .key: key.text, .digest: key.digest, .attempt: key.attempt, .began: now,
                ], "ON CONFLICT (caller, key) DO NOTHING") == 1
        guard isNew else {
            let present = try connection.record(
                IdempotentRequest.self, "WHERE caller = \(key.caller) AND key = \(key.text)")
            // An act may need several transactions. Otherwise, another node has carried out the request just now.
            guard present?.attempt == key.attempt else {
                guard let present, !present.digest.isEmpty else { throw unfinished }
                throw present.digest == key.digest ? stillRunning : reused
            }
            return
        }
        let count = try connection.count(of: IdempotentRequest.self, "WHERE caller = \(key.caller)")
        guard count <= maximum else {
            let removed = try connection.execute(
                "DELETE FROM idempotency WHERE caller = \(key.caller) AND began <= \(now - assuredLifetime)")
            guard removed > 0 else { throw try many(key.caller, at: now, in: connection) }
            return
        }
    }

    /// Returns the refusal of a caller who has too many keys. It says when the oldest of them can be removed.
    private static func many(
        _ caller: String, at now: Timestamp, in connection: any Connection
    ) throws -> OperationRefusal {
        let oldest: Timestamp? = try connection.value(
            .began, of: IdempotentRequest.self, "WHERE caller = \(caller) ORDER BY began LIMIT 1")
        let rest = ((oldest ?? now) + assuredLifetime).rawValue - now.rawValue
        let seconds = max(1, (rest + 999) / 1000)
        return OperationRefusal(
            "admin.idempotency.many", status: .tooManyRequests,
            (
                "You have used \(maximum) idempotency keys within an hour.",
                "Wait \(seconds) s, or send further requests without a key."
            ), headers: [.retryAfter: "\(seconds)"])
    }

    /// Forgets everything about the requests to a tenant but their keys: their answers, and what the requests were. They
    /// are still not carried out again. Answers that are not stored yet will not be stored.
    ///
    /// - Parameter person: the person who is removed, whose own keys are removed, too; nil if the tenant is removed with all
    ///   of its people.
    /// - Throws: ``StorageError``
    package static func forget(_ tenant: TenantID, person: String? = nil, in connection: any Connection) throws {
        // The account of a caller of one tenant begins with the tenant and a space (``AdminCaller/account``).
        let ofTenant: SQL = "caller >= \("\(tenant) ") AND caller < \("\(tenant)!")"
        try connection.execute(
            "DELETE FROM idempotency WHERE \(person.map { "caller = \("\(tenant) \($0)")" } ?? ofTenant)")
        // The operator administers every tenant, so all of the operator's answers are forgotten.
        try connection.execute(
            """
            UPDATE idempotency SET digest = \([UInt8]()), status = NULL, reply = NULL
            WHERE (caller = \(AuditLog.localOperator) OR (\(ofTenant))) AND length(digest) > 0
            """)
    }

    /// Stores the answer to a request whose act was carried out. If no act was carried out under the key, nothing is
    /// stored.
    ///
    /// - Throws: ``StorageError``
    func store(_ reply: [UInt8], status: Int, as key: IdempotencyKey) async throws {
        try await database.write { connection in
            try connection.execute(
                """
                UPDATE idempotency SET status = \(status), reply = \(reply)
                WHERE caller = \(key.caller) AND key = \(key.text) AND attempt = \(key.attempt)
                    AND digest = \(key.digest)
                """)
        }
    }

    /// Removes keys that are older than ``lifetime``.
    ///
    /// - Returns: how many were removed, at most `limit`.
    /// - Throws: ``StorageError``
    @discardableResult
    package static func removeOld(at now: Timestamp, limit: Int, in connection: any Connection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM idempotency WHERE (caller, key) IN (
                SELECT caller, key FROM idempotency WHERE began <= \(now - lifetime) LIMIT \(limit))
            """)
    }

    private static let reused = OperationRefusal(
        "admin.idempotency.reused", status: .conflict,
        ("The Idempotency-Key belongs to another request.", "Choose a new key for each new request."))
    private static let unfinished = OperationRefusal(
        "admin.idempotency.unfinished", status: .conflict,
        (
            "A request with this Idempotency-Key has been carried out, but its answer is not known.",
            "Read what the request concerns; if the request must be carried out again, choose a new key."
        ))
    private static let stillRunning = OperationRefusal(
        "admin.idempotency.running", status: .conflict,
        (
            "A request with this Idempotency-Key is being carried out.",
            "Wait, then send the same request again to get its answer."
        ), headers: [.retryAfter: "1"])
    private static let secret = OperationRefusal(
        "admin.idempotency.secret", status: .conflict,
        (
            "A request with this Idempotency-Key has been carried out. Its answer contained a secret, which is not kept.",
            "If you did not get the answer, remove what the request made, and make another one with a new key."
        ))
}
