// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import Redaction

extension PKCS12 {
    /// The MAC over a container's content (RFC 7292 section 4 with the key derivation of appendix B).
    struct Authentication {
        let salt: [UInt8]
        let iterations: Int

        func tag(over content: [UInt8], password: String) -> [UInt8] {
            var bytes = key(password: password)
            defer { wipe(&bytes) }
            return Array(HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: bytes)))
        }

        /// Derives a key of 32 bytes (appendix B.2). With SHA-256, one iteration of the outer loop produces all 32
        /// bytes.
        private func key(password: String) -> [UInt8] {
            let block = 64
            // The password as big-endian UTF-16 with two zero bytes at its end (appendix B.1).
            let text = (Array(password.utf16) + [0]).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let diversifier = [UInt8](repeating: 3, count: block)
            var digest = SHA256.hash(
                data: diversifier + Self.filled(salt, block: block) + Self.filled(text, block: block))
            for _ in 1..<max(iterations, 1) {
                digest = unsafe digest.withUnsafeBytes { bytes in
                    var hash = SHA256()
                    unsafe hash.update(bufferPointer: bytes)
                    return hash.finalize()
                }
            }
            return Array(digest)
        }

        /// Repeats `pattern` until it fills a whole number of blocks.
        private static func filled(_ pattern: [UInt8], block: Int) -> [UInt8] {
            guard !pattern.isEmpty else { return [] }
            let length = (pattern.count + block - 1) / block * block
            return (0..<length).map { pattern[$0 % pattern.count] }
        }
    }

    /// Encryption under a password (RFC 8018 section 6.2).
    struct PasswordCipher {
        let salt: [UInt8]
        let iterations: Int
        let vector: [UInt8]

        func encrypt(_ plaintext: [UInt8], password: String) throws(PKCS12Error) -> [UInt8] {
            do {
                let vector = try AES._CBC.IV(ivBytes: self.vector)
                return Array(try AES._CBC.encrypt(plaintext, using: key(password: password), iv: vector))
            } catch { throw .malformed }
        }

        func decrypt(_ ciphertext: [UInt8], password: String) throws(PKCS12Error) -> [UInt8] {
            do {
                let vector = try AES._CBC.IV(ivBytes: self.vector)
                return Array(try AES._CBC.decrypt(ciphertext, using: key(password: password), iv: vector))
            } catch { throw .wrongPassword }
        }

        private func key(password: String) throws -> SymmetricKey {
            try KDF.Insecure.PBKDF2.deriveKey(
                from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: 32,
                unsafeUncheckedRounds: iterations)
        }
    }
}
