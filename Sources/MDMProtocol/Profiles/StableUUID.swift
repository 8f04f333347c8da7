// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import FoundationEssentials

/// UUIDs that are the same each time a profile is generated.
package enum StableUUID {
    /// Returns the version 5 UUID of `name` in `namespace` (RFC 9562 section 5.5), upper case.
    package static func make(namespace: UUID, name: String) -> String {
        var hash = Insecure.SHA1()
        unsafe withUnsafeBytes(of: namespace.uuid) { unsafe hash.update(bufferPointer: $0) }
        hash.update(data: Array(name.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(of: bytes)
    }

    private static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Profile {
    /// Sets the profile's UUID from its content: equal content gives the same UUID, any change gives a different one.
    ///
    /// - Throws: ``PropertyListError`` if the content cannot be written.
    package mutating func stampRevision(tenant: UUID) throws(PropertyListError) {
        uuid = ""
        let digest = SHA256.hash(data: try xml()).map { String($0, radix: 16) }.joined(separator: ".")
        uuid = StableUUID.make(namespace: tenant, name: "\(identifier)#\(digest)")
    }
}
