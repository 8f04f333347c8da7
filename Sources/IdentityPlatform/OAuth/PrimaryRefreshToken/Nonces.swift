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
/// The key and the remembered requests exist only in memory. A restart therefore invalidates every nonce, so a request
/// that the server no longer remembers cannot be replayed.
package final class Nonces: Sendable {
    /// The purpose of a nonce. A client may use one nonce in several different requests; some clients do.
    enum Purpose: UInt8, Sendable {
        case issue, use, endSession, sessionState, join, assertion, deviceToken, browser, receiptAnchor, offlineLeases,
            signInPage, leave
    }

    /// The maximum number of remembered requests. When it is reached, the server refuses new requests rather than
    /// forget earlier ones.
    private static let capacity = 1_000_000

    private struct Seen {
        /// Digests, grouped by the period in which their nonce was issued.
        var periods: [Int64: Set<SHA256Digest>] = [:]
    }

    private let environment: ClockAndRandomness
    private let key: SymmetricKey
    private let seen = Mutex(Seen())

    init(environment: ClockAndRandomness) {
        self.environment = environment
        key = SymmetricKey(data: environment.randomBytes(32))
    }

    private static let lifetime = Int64(PrimaryRefreshToken.nonceLifetime)
    /// How many seconds the clock may have been set back since a nonce was issued.
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

    /// Accepts a signed request if its nonce was issued by this server and is fresh, and if the same request was not
    /// accepted before.
    ///
    /// - Parameter signed: the signed bytes without the signature. The signature cannot identify the request, because
    ///   with some algorithms anyone can turn a valid signature into a different valid one for the same bytes.
    /// - Throws: ``OAuthError``.
    func accept(_ nonce: String, signed: [UInt8], for purpose: Purpose) throws(OAuthError) {
        let now = environment.now().seconds
        guard let opened = opened(nonce, now: now), !opened.isBound else { throw .staleNonce }
        try remember(opened, signed: signed, for: purpose, now: now)
    }

    /// Accepts a browser credential if its nonce was issued to this browser or, if allowed, is not bound to any
    /// browser.
    ///
    /// - Parameter allowsUnbound: whether a nonce that is not bound to any browser is accepted.
    /// - Throws: ``OAuthError``.
    func accept(
        _ nonce: String, signed: [UInt8], in browser: BrowserID?, allowsUnbound: Bool
    ) throws(OAuthError) {
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
        try remember(opened, signed: signed, for: .browser, now: now)
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

    private func remember(
        _ nonce: Opened, signed: [UInt8], for purpose: Purpose, now: Int64
    ) throws(OAuthError) {
        let digest = SHA256.hash(data: [purpose.rawValue] + nonce.bytes + signed)
        let made = nonce.made
        let isNew = seen.withLock { seen -> Bool? in
            for period in seen.periods.keys where (period + 2) * Self.lifetime <= now { seen.periods[period] = nil }
            guard seen.periods.values.reduce(0, { $0 + $1.count }) < Self.capacity else { return nil }
            return seen.periods[made / Self.lifetime, default: []].insert(digest).inserted
        }
        guard let isNew else { throw .busy }
        guard isNew else { throw .replayedRequest }
    }

    private func mac(_ body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(16))
    }
}
