// SPDX-License-Identifier: Apache-2.0

/// An RSA public key in Windows' format (`BCRYPT_RSAKEY_BLOB`): `RSA1`, five little-endian integers, then the exponent
/// and the modulus, both big-endian.
package enum RSAPublicKeyBlob {
    static let magic = Array("RSA1".utf8)

    /// Encodes a key.
    package static func encode(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        let numbers = [bits, exponent.count, modulus.count, 0, 0].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return magic + numbers + exponent + modulus
    }

    /// Decodes a key of 2048 to 4096 bits.
    ///
    /// - Throws: ``JOSEFailure`` `malformed`.
    package static func decode(_ blob: [UInt8]) throws(JOSEFailure) -> (modulus: [UInt8], exponent: [UInt8]) {
        guard blob.count >= 24, blob.starts(with: magic) else { throw .malformed }
        let numbers = (0..<5).map { index in
            (0..<4).reduce(0) { $0 | Int(blob[4 + index * 4 + $1]) << ($1 * 8) }
        }
        let (bits, exponentLength, modulusLength) = (numbers[0], numbers[1], numbers[2])
        guard (2048...4096).contains(bits), (1...4).contains(exponentLength), modulusLength == (bits + 7) / 8,
            numbers[3] == 0, numbers[4] == 0, blob.count == 24 + exponentLength + modulusLength
        else { throw .malformed }
        return (Array(blob.suffix(modulusLength)), Array(blob[24..<24 + exponentLength]))
    }
}
