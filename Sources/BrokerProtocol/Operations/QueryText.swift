// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// Query parameters that an app adds to the identity platform's address, as flat maps contain them: pairs in
/// `application/x-www-form-urlencoded`.
package enum QueryText {
    /// The maximum number of pairs in one request.
    private static let maximumPairs = 32

    /// Returns the pairs as text, sorted by name; nil if there are none.
    package static func text(_ parameters: [String: String]) -> String? {
        guard !parameters.isEmpty else { return nil }
        return parameters.sorted { $0.key < $1.key }.map { "\(encoded($0.key))=\(encoded($0.value))" }
            .joined(separator: "&")
    }

    /// Parses the pairs; returns nil if they are malformed, too many, or contain a name twice.
    package static func parameters(_ text: String) -> [String: String]? {
        var parameters: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let name = decoded(parts[0]), let value = decoded(parts[1]), !name.isEmpty,
                parameters.updateValue(value, forKey: name) == nil, parameters.count <= maximumPairs
            else { return nil }
        }
        return parameters
    }

    private static func encoded(_ text: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        let bytes = text.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%")] + Hexadecimal.digits([byte], .upper)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(Hexadecimal.value),
                    let low = rest.next().flatMap(Hexadecimal.value)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
