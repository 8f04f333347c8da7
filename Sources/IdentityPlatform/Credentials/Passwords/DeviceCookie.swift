// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// A cookie that records who has signed in with a browser. The record outlasts the sessions (OWASP, "Slow Down Online
/// Guessing Attacks with Device Cookies"). It does not sign anyone in. Failed attempts to sign in as a person whom the
/// cookie records are counted per cookie, separately from guesses by strangers.
///
/// The cookie has one sealed part per person, so it does not reveal who has signed in. Each sign-in replaces the
/// person's former part. A stolen copy of a former part has its own count, which later sign-ins do not reset.
struct DeviceCookie: Sendable {
    /// The maximum number of people in one cookie. Only joined devices are expected to be shared by more people. If
    /// more people sign in, the person who signed in longest ago is dropped.
    private static let capacity = 8
    static let lifetime = Duration.seconds(90 * 86400)

    private let parts: [String]

    /// Reads the cookie from a request; returns nil if the request has none.
    init?(_ request: Request) {
        guard let text = HostCookie.device.value(in: request) else { return nil }
        parts = text.split(separator: ".").prefix(Self.capacity).map(String.init)
    }

    private init(parts: [String]) { self.parts = parts }

    /// Returns the identifier under which a person's attempts in this browser are counted; nil if the person has not
    /// signed in with this browser.
    func identifier(of person: UserID, tenant: TenantID, at now: Timestamp, key: StorageKey) -> [UInt8]? {
        parts.lazy.compactMap { Part($0, tenant: tenant, key: key) }
            .first { $0.person == person && $0.expires > now }?.identifier
    }

    /// Returns the cookie's text after a person signed in.
    ///
    /// - Throws: an error of the cryptography library.
    static func text(
        adding person: UserID, tenant: TenantID, to former: DeviceCookie?, at now: Timestamp,
        environment: ClockAndRandomness,
        key: StorageKey
    ) throws -> String {
        let part = Part(person: person, identifier: environment.randomBytes(16), expires: now + lifetime)
        let others = (former?.parts ?? []).filter { Part($0, tenant: tenant, key: key)?.person != person }
        return ([try part.sealed(tenant: tenant, key: key)] + others).prefix(capacity).joined(separator: ".")
    }

    /// One person's part of the cookie.
    private struct Part {
        let person: UserID
        /// Random bytes.
        let identifier: [UInt8]
        let expires: Timestamp

        init(person: UserID, identifier: [UInt8], expires: Timestamp) {
            (self.person, self.identifier, self.expires) = (person, identifier, expires)
        }

        /// Decrypts a part; returns nil if it belongs to another organisation or was not created by this server.
        init?(_ text: String, tenant: TenantID, key: StorageKey) {
            guard text.utf8.count < 128, let sealed = try? Base64URL.decode(text),
                let bytes = try? key.open(sealed, purpose: Self.purpose(tenant)), bytes.count == 40
            else { return nil }
            person = UserID(bytes: Array(bytes[..<16]))
            identifier = Array(bytes[16..<32])
            expires = Timestamp(rawValue: bytes[32...].reduce(0) { $0 << 8 | Int64($1) })
        }

        func sealed(tenant: TenantID, key: StorageKey) throws -> String {
            let time = (0..<8).map { UInt8(truncatingIfNeeded: expires.rawValue >> (56 - $0 * 8)) }
            return Base64URL.encode(
                try key.seal(person.bytes + identifier + time, purpose: Self.purpose(tenant)))
        }

        private static func purpose(_ tenant: TenantID) -> String { "device cookie of \(tenant)" }
    }
}
