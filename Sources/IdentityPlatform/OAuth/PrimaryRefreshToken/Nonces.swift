// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import OAuth
internal import Redaction
internal import Storage
internal import Synchronization

/// The nonces of signed requests. Nonces are not stored and are valid for five minutes. The requests in which they were
/// used are remembered.
///
/// A nonce issued to a browser is valid only in that browser and only for its credential. A nonce obtained elsewhere
/// therefore cannot be used to plant a credential in another person's browser.
///
/// If only this process uses the database, the key and the remembered requests exist only in memory. A restart
/// therefore invalidates every nonce, and a request that the server no longer remembers cannot be replayed. If several
/// nodes share the database, all of them derive the same key from the storage key, and each accepted request is stored
/// in the transaction that serves it (``Acceptance``).
package final class Nonces: Sendable {
    /// The purpose of a nonce. A client may use one nonce in several different requests; some clients do.
    enum Purpose: UInt8, Sendable {
        case issue, use, endSession, sessionState, join, assertion, deviceToken, browser, receiptAnchor, offlineLeases,
            signInPage, leave
    }

    private let environment: ClockAndRandomness
    private let key: SymmetricKey
    private let isShared: Bool
    private let seen: Mutex<SeenRequests>

    /// - Parameters:
    ///   - isShared: whether other nodes must accept this node's nonces.
    ///   - capacityOfCaller: how many requests of one caller are remembered.
    init(environment: ClockAndRandomness, storageKey: StorageKey, isShared: Bool, capacityOfCaller: Int) {
        seen = Mutex(SeenRequests(capacityOfCaller: capacityOfCaller))
        (self.environment, self.isShared) = (environment, isShared)
        key = SymmetricKey(data: isShared ? storageKey.derived("nonces", []) : environment.randomBytes(32))
    }

    static let lifetime = Int64(PrimaryRefreshToken.nonceLifetime)
    /// How many seconds the clock may have been set back since a nonce was issued, or may be behind the clock of the
    /// node that issued it. This is more than twice ``ClockCheck/limit``.
    private static let tolerance: Int64 = 30

    /// Returns a fresh nonce.
    package func make() -> String {
        let body = body()
        return Base64URL.encode(body + mac(body))
    }

    /// Returns a fresh nonce for a browser.
    func make(for browser: BrowserID) -> String {
        let body = body()
        let bound = body + mac(body + browser.hash)
        return Base64URL.encode(bound + mac(bound))
    }

    private func body() -> [UInt8] {
        let time = environment.now().seconds
        return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - $0 * 8)) } + environment.randomBytes(8)
    }

    /// Accepts a signed request if its nonce was issued by this server and is fresh, and if this process has not
    /// accepted the same request before. Other nodes may have accepted it; see ``Acceptance/record(in:)``.
    ///
    /// - Parameters:
    ///   - signed: the signed bytes without the signature. The signature cannot identify the request, because with some
    ///     algorithms anyone can turn a valid signature into a different valid one for the same bytes.
    ///   - caller: who signed the request. The number of remembered requests is limited per caller.
    /// - Throws: ``OAuthError``.
    func accept(
        _ nonce: String, signed: [UInt8], for purpose: Purpose, by caller: String
    ) throws(OAuthError) -> Acceptance {
        let acceptance = try judge(nonce, signed: signed, for: purpose, by: caller)
        guard remember(acceptance) else { throw .replayedRequest }
        return acceptance
    }

    /// Accepts a browser credential if its nonce was issued to this browser or, if allowed, is not bound to any
    /// browser.
    ///
    /// - Parameter allowsUnbound: whether a nonce that is not bound to any browser is accepted.
    /// - Throws: ``OAuthError``.
    func accept(
        _ nonce: String, signed: [UInt8], in browser: BrowserID?, allowsUnbound: Bool, by caller: String
    ) throws(OAuthError) -> Acceptance {
        let now = environment.now().seconds
        guard let opened = opened(nonce, now: now) else { throw .staleNonce }
        if opened.isBound {
            let body = Array(opened.bytes[..<16])
            guard let browser, equalInConstantTime(mac(body + browser.hash), Array(opened.bytes[16..<32])) else {
                throw .staleNonce
            }
        } else {
            guard allowsUnbound else { throw .staleNonce }
        }
        let acceptance = try acceptance(opened, signed: signed, for: .browser, by: caller)
        guard remember(acceptance) else { throw .replayedRequest }
        return acceptance
    }

    /// Checks a nonce without remembering the request. A transaction may call this method, because it has no effect.
    ///
    /// - Throws: ``OAuthError``.
    func judge(
        _ nonce: String, signed: [UInt8], for purpose: Purpose, by caller: String
    ) throws(OAuthError) -> Acceptance {
        guard let opened = opened(nonce, now: environment.now().seconds), !opened.isBound else { throw .staleNonce }
        return try acceptance(opened, signed: signed, for: purpose, by: caller)
    }

    /// Remembers a request in this process.
    ///
    /// - Returns: false if this process has accepted the request before.
    @discardableResult
    func remember(_ acceptance: Acceptance) -> Bool { seen.withLock { $0.remember(acceptance) } }

    private func acceptance(
        _ nonce: Opened, signed: [UInt8], for purpose: Purpose, by caller: String
    ) throws(OAuthError) -> Acceptance {
        let now = environment.now().seconds
        guard !seen.withLock({ $0.isFull(for: caller, at: now) }) else { throw .busy }
        return Acceptance(
            digest: SHA256.hash(data: [purpose.rawValue] + nonce.bytes + signed), made: nonce.made,
            caller: caller, isStored: isShared)
    }

    /// Whether a nonce was issued by this server, to anyone, and is fresh.
    func isFresh(_ nonce: String) -> Bool { opened(nonce, now: environment.now().seconds) != nil }

    private struct Opened {
        let bytes: [UInt8]
        let made: Int64
        /// Whether the nonce was issued to a browser.
        var isBound: Bool { bytes.count == 48 }
    }

    private func opened(_ nonce: String, now: Int64) -> Opened? {
        guard let bytes = try? Base64URL.decode(nonce), [32, 48].contains(bytes.count) else { return nil }
        guard equalInConstantTime(mac(Array(bytes.dropLast(16))), Array(bytes.suffix(16))) else { return nil }
        let made = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard made <= now + Self.tolerance, now - made < Self.lifetime else { return nil }
        return Opened(bytes: bytes, made: made)
    }

    private func mac(_ body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(16))
    }
}
