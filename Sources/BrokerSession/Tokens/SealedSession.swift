// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Crypto
internal import DeviceKeyStore
internal import Files
internal import FoundationEssentials
internal import JSON
internal import OAuth
internal import Redaction

/// A worker's session on disk, sealed with the session's memory key. Once that key is destroyed, the file cannot be
/// decrypted.
struct SealedSession {
    let directory: Directory

    private static let fileName = "worker.sealed"

    private enum Member {
        static let account = "account"
        static let token = "token"
        static let key = "key"
        static let serverSession = "serverSession"
        static let given = "given"
        static let lifetime = "lifetime"
        static let lease = "lease"
    }

    /// Writes a session with the server, durably.
    func write(_ session: WorkerSession, epoch: Epoch, under key: MemoryKey) throws {
        try write(
            .object([
                Member.account: session.account.json, Member.token: .string(session.token.exposed),
                Member.key: .string(unsafe session.key.secret.withUnsafeBytes { unsafe Base64.encode($0) }),
                Member.serverSession: .string(session.serverSession),
                Member.given: .integer(session.renewal.given), Member.lifetime: .integer(session.renewal.lifetime),
            ]), epoch: epoch, under: key)
    }

    /// Writes an offline session, durably.
    func write(_ session: OfflineSession, epoch: Epoch) throws {
        try write(
            .object([Member.account: session.account.json, Member.lease: .string(session.lease)]), epoch: epoch,
            under: session.key)
    }

    private func write(_ value: JSONValue, epoch: Epoch, under key: MemoryKey) throws {
        var plain = JSONWriter.write(value)
        defer { wipe(&plain) }
        let sealed = try AES.GCM.seal(plain, using: key.symmetric, authenticating: Array(epoch.description.utf8))
        guard let combined = sealed.combined else { throw SealedSessionUnreadable() }
        try directory.file(Self.fileName).replace(with: Array(combined))
    }

    /// Reads the session of `epoch`.
    ///
    /// - Throws: ``SealedSessionUnreadable`` if the file is missing or was changed, or if the key is wrong.
    func read(epoch: Epoch, under key: MemoryKey) throws -> SignedInUser {
        guard let combined = try directory.file(Self.fileName).read(limit: 1 << 20) else {
            throw SealedSessionUnreadable()
        }
        do {
            let box = try AES.GCM.SealedBox(combined: combined)
            var plain = Array(
                try AES.GCM.open(box, using: key.symmetric, authenticating: Array(epoch.description.utf8)))
            defer { wipe(&plain) }
            return try Self.worker(try JSONReader.read(plain, limits: Wire.nestedLimits), key)
        } catch { throw SealedSessionUnreadable() }
    }

    private static func worker(_ value: JSONValue, _ key: MemoryKey) throws -> SignedInUser {
        guard let members = value.object, let account = members[Member.account].flatMap(AccountRecord.init(json:))
        else {
            throw SealedSessionUnreadable()
        }
        if let lease = members[Member.lease]?.string {
            return .offline(OfflineSession(account: account, lease: lease, key: key))
        }
        return .online(try session(members, account))
    }

    private static func session(_ members: [String: JSONValue], _ account: AccountRecord) throws -> WorkerSession {
        guard let token = members[Member.token]?.string, let keyText = members[Member.key]?.string,
            let key = SessionKey(SecretBytes(copying: try Base64.decode(keyText))),
            let serverSession = members[Member.serverSession]?.string,
            case .integer(let given) = members[Member.given], case .integer(let lifetime) = members[Member.lifetime]
        else { throw SealedSessionUnreadable() }
        return WorkerSession(
            account: account, token: Sensitive(token),
            renewal: RenewalSchedule(given: given, lifetime: lifetime), key: key, serverSession: serverSession)
    }
}

/// The session's file is missing, damaged, or sealed with a different key; the session cannot continue.
struct SealedSessionUnreadable: Error, Equatable {}

extension MemoryKey {
    fileprivate var symmetric: SymmetricKey { unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
}
