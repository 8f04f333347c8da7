// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// What a browser keeps of the people who signed in there, beyond the end of their sessions (OWASP, "Slow Down Online
/// Guessing Attacks with Device Cookies"). It signs nobody in: an attempt for a person it vouches for is counted by the
/// cookie, apart from what strangers guess.
///
/// One sealed part per person, so that nobody can read who they are. Each sign-in puts a new part in the place of the
/// person's former one; a stolen copy keeps a count of its own, which no later sign-in forgives.
struct DeviceCookie: Sendable {
    /// More people than that share no browser that is not a joined device; the one who was here longest ago goes.
    private static let capacity = 8
    static let lifetime = Duration.seconds(90 * 86400)

    private let parts: [String]

    /// Reads the cookie of a request; nil where there is none.
    init?(_ request: Request) {
        guard let text = HostCookie.device.value(in: request) else { return nil }
        parts = text.split(separator: ".").prefix(Self.capacity).map(String.init)
    }

    private init(parts: [String]) { self.parts = parts }

    /// Says by what the attempts of a person are counted in this browser; nil where they did not sign in here.
    func identifier(of person: UserID, tenant: TenantID, at now: Timestamp, key: StorageKey) -> [UInt8]? {
        parts.lazy.compactMap { Part($0, tenant: tenant, key: key) }
            .first { $0.person == person && $0.expires > now }?.identifier
    }

    /// The cookie's text after a person signed in.
    ///
    /// - Throws: the library's error.
    static func text(
        adding person: UserID, tenant: TenantID, to former: DeviceCookie?, at now: Timestamp,
        environment: ClockAndRandomness,
        key: StorageKey
    ) throws -> String {
        let part = Part(person: person, identifier: environment.randomBytes(16), expires: now + lifetime)
        let others = (former?.parts ?? []).filter { Part($0, tenant: tenant, key: key)?.person != person }
        return ([try part.sealed(tenant: tenant, key: key)] + others).prefix(capacity).joined(separator: ".")
    }

    /// One person in one browser.
    private struct Part {
        let person: UserID
        /// Random.
        let identifier: [UInt8]
        let expires: Timestamp

        init(person: UserID, identifier: [UInt8], expires: Timestamp) {
            (self.person, self.identifier, self.expires) = (person, identifier, expires)
        }

        /// Opens a part; nil for one of another organisation, or that is not ours.
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
