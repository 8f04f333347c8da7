// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// When a signing key is published, signs and goes; all of it follows from the keys' two times, so that a restart forgets
/// nothing. A key is published before it signs, and stays published until the last token that it may have signed is over.
struct KeySchedule: Sendable {
    /// How long a new key is published before it signs.
    let publication: Duration
    /// The age at which a key gets a successor.
    let age: Duration
    /// How long the longest-lived token is good.
    let longestToken: Duration

    /// For clocks that differ, and for what another process has read before.
    static let tolerance = Duration.seconds(600)

    /// The algorithms that every organisation has a key of.
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// The key that signs: the latest whose time has come. Where there is none yet, the one whose time comes first.
    static func signing(_ keys: [TenantKey], _ algorithm: SignatureAlgorithm, at now: Timestamp) -> TenantKey? {
        let keys = keys.filter { $0.algorithm == algorithm }
        return keys.filter { $0.signs <= now }.max { $0.signs < $1.signs } ?? keys.min { $0.signs < $1.signs }
    }

    /// Whether a key waits for its time.
    static func isPending(_ keys: [TenantKey], at now: Timestamp) -> Bool { keys.contains { $0.signs > now } }

    /// The algorithms whose key is due for a successor.
    func due(_ keys: [TenantKey], at now: Timestamp) -> [SignatureAlgorithm] {
        Self.algorithms.filter { algorithm in
            let newest = keys.filter { $0.algorithm == algorithm }.map(\.signs).max()
            return newest.map { $0 + age <= now } ?? true
        }
    }

    /// The keys that can have signed nothing that still is good.
    func obsolete(_ keys: [TenantKey], at now: Timestamp) -> [TenantKey] {
        keys.filter { key in
            keys.contains { other in
                other.algorithm == key.algorithm && other.signs > key.signs
                    && other.signs + longestToken + Self.tolerance <= now
            }
        }
    }
}
