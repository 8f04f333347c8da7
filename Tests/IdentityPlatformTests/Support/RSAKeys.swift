// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import Synchronization

/// The RSA keys of one platform, all different. Every test platform gets the same keys in the same order. They are
/// generated once per process, because generating a key takes longer than most tests.
final class RSAKeys: Sendable {
    private static let made = Mutex<[Int: [UInt8]]>([:])
    private let number: Atomic<Int>

    init(from first: Int = 0) { number = Atomic(first) }

    /// Returns the platform's next key.
    func next() throws -> _RSA.Signing.PrivateKey {
        let number = number.add(1, ordering: .relaxed).oldValue
        let bytes = try Self.made.withLock { made in
            if let bytes = made[number] { return bytes }
            let bytes = Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation)
            made[number] = bytes
            return bytes
        }
        return try _RSA.Signing.PrivateKey(derRepresentation: bytes)
    }
}
