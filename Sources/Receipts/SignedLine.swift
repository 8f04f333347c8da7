// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import OAuth

/// One line of JSON whose last member is a signature over all bytes before it. The signature is checked without
/// serialising the line again (docs/receipts.md).
///
/// The line is `P,"signature":"S"}`: `P` begins with `{` and contains all other members, `S` is the signature over the
/// bytes of `P`, base64url without padding.
package struct SignedLine: Sendable, Equatable {
    /// The complete line without its line feed.
    package let bytes: [UInt8]
    /// The members. Do not trust them before ``isSigned(by:)``.
    package let members: Members
    private let covered: Int
    private let signature: [UInt8]

    /// The maximum length of a line in bytes.
    package static let maximum = 64 << 10
    private static let mark = Array(",\"signature\":\"".utf8)
    private static let end = Array("\"}".utf8)

    /// Parses a line; returns nil if it is malformed.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximum, bytes.first == UInt8(ascii: "{"), bytes.suffix(2) == Self.end[...],
            !bytes.contains(UInt8(ascii: "\n")),
            let quote = bytes.dropLast(2).lastIndex(of: UInt8(ascii: "\"")),
            bytes[...quote].suffix(Self.mark.count) == Self.mark[...],
            let signature = try? Base64URL.decode(bytes[(quote + 1)..<(bytes.count - 2)]),
            let members = try? Members(decoding: bytes, limit: Self.maximum)
        else { return nil }
        self.bytes = bytes
        self.members = members
        self.signature = signature
        covered = quote + 1 - Self.mark.count
    }

    /// Signs `body`.
    ///
    /// - Throws: ``ReceiptFailure`` if `body` does not make a valid line, or the error of the cryptography library.
    package init(_ body: MembersWriter, signedWith key: SigningKey) throws {
        var bytes = Array(body.bytes.dropLast())
        let signature = try key.signature(for: bytes)
        bytes += Self.mark
        Base64URL.append(signature, to: &bytes)
        guard let line = SignedLine(bytes + Self.end) else { throw ReceiptFailure.malformed }
        self = line
    }

    /// Whether `key` signed this line.
    package func isSigned(by key: VerificationKey) -> Bool { key.isValid(signature, for: Array(bytes.prefix(covered))) }

    /// The SHA-256 of the line without its line feed, base64url. The next line refers to it.
    package var hash: String { Base64URL.encode(SHA256.hash(data: bytes)) }

    /// The line's `type` member; nil if it has none.
    package var type: String? { (try? members.optionalString(ReceiptName.type)) ?? nil }

    /// Checks the type and version of the line.
    ///
    /// - Parameter versions: the supported versions.
    /// - Returns: the line's version.
    /// - Throws: ``ReceiptFailure`` `unknownVersion` for an unsupported version, ``MembersFailure``.
    @discardableResult
    func confirm(_ type: String, versions: ClosedRange<Int> = 1...1) throws -> Int {
        guard try members.string(ReceiptName.type) == type else { throw ReceiptFailure.malformed }
        let version = try members.integer(ReceiptName.version)
        guard versions.contains(version) else { throw ReceiptFailure.unknownVersion }
        return version
    }
}

/// Why a line cannot be read by this version.
package enum ReceiptFailure: Error, Equatable {
    case malformed
    /// A later version of Baton wrote the line.
    case unknownVersion
    /// The certificate in a statement does not name the device.
    case wrongCertificate
}
