// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import OAuth

/// One line of JSON whose last member signs everything before it, byte for byte: nothing is ever serialised again to check
/// it (docs/receipts.md).
///
/// The line is `P,"signature":"S"}`: `P` begins with `{` and holds every other member, `S` is the signature over the bytes
/// of `P`, base64url without padding.
package struct SignedLine: Sendable, Equatable {
    /// The whole line without the line feed that ends it.
    package let bytes: [UInt8]
    /// The members, none of which is to be believed before ``isSigned(by:)``.
    package let members: Members
    private let covered: Int
    private let signature: [UInt8]

    /// Bytes of one line.
    package static let maximum = 64 << 10
    private static let mark = Array(",\"signature\":\"".utf8)
    private static let end = Array("\"}".utf8)

    /// Takes a line apart; nil where it is none.
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
    /// - Throws: ``ReceiptFailure`` for a body that makes no line, or the library's error.
    package init(_ body: MembersWriter, signedWith key: SigningKey) throws {
        var bytes = Array(body.bytes.dropLast())
        let signature = try key.signature(for: bytes)
        bytes += Self.mark
        Base64URL.append(signature, to: &bytes)
        guard let line = SignedLine(bytes + Self.end) else { throw ReceiptFailure.malformed }
        self = line
    }

    /// Whether `key` signed the line as it stands here.
    package func isSigned(by key: VerificationKey) -> Bool { key.isValid(signature, for: Array(bytes.prefix(covered))) }

    /// SHA-256 of the line without its line feed, base64url: by this the next line names it.
    package var hash: String { Base64URL.encode(SHA256.hash(data: bytes)) }

    /// The line's `type` member; nil where it has none.
    package var type: String? { (try? members.optionalString(ReceiptName.type)) ?? nil }

    /// Checks what kind of line it is.
    ///
    /// - Parameter versions: those that are read.
    /// - Returns: the line's version.
    /// - Throws: ``ReceiptFailure`` `unknownVersion` for a later version's line, ``MembersFailure``.
    @discardableResult
    func confirm(_ type: String, versions: ClosedRange<Int> = 1...1) throws -> Int {
        guard try members.string(ReceiptName.type) == type else { throw ReceiptFailure.malformed }
        let version = try members.integer(ReceiptName.version)
        guard versions.contains(version) else { throw ReceiptFailure.unknownVersion }
        return version
    }
}

/// Why a line is none that this version reads.
package enum ReceiptFailure: Error, Equatable {
    case malformed
    /// A later version of Baton wrote it.
    case unknownVersion
    /// The certificate in a statement is not the device's, or its authority did not issue it.
    case wrongCertificate
}
