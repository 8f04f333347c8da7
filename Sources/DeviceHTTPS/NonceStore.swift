// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Synchronization

/// Keeps the nonce from the server's last reply in one worker's session, for that session's next signed request.
///
/// A store belongs to one ``WorkerSession`` and is released with that session, so that no nonce passes from one worker
/// or epoch to the next. Each nonce is given out once. If the store is empty, the caller fetches a nonce from the
/// server.
package final class NonceStore: Sendable {
    private struct Kept {
        let nonce: String
        let since: ContinuousClock.Instant
    }

    private let kept = Mutex<Kept?>(nil)
    private let now: @Sendable () -> ContinuousClock.Instant

    /// How long a nonce is used: its lifetime at the server, less a minute for the request to arrive.
    private static let lifetime = Duration.seconds(PrimaryRefreshToken.nonceLifetime - 60)
    private static let maximumLength = 256

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Stores the nonce from a reply and replaces the previous nonce. A malformed nonce is ignored (RFC 8555 6.5.1).
    package func keep(_ nonce: String?) {
        guard let nonce, (1...Self.maximumLength).contains(nonce.utf8.count), nonce.utf8.allSatisfy(Self.isBase64URL)
        else { return }
        let new = Kept(nonce: nonce, since: now())
        kept.withLock { $0 = new }
    }

    /// Returns the stored nonce and removes it; nil if no nonce is stored or the stored nonce is too old.
    package func take() -> String? {
        let taken = kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
        guard let taken, now() - taken.since < Self.lifetime else { return nil }
        return taken.nonce
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }
}
