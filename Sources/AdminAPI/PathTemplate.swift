// SPDX-License-Identifier: Apache-2.0

/// A path of the administration socket with placeholders, such as `/identity/tenants/{tenant}`.
package protocol PathTemplate: RawRepresentable<String>, Sendable {}

extension PathTemplate {
    /// Returns the path with its placeholders filled in and the query appended, percent-encoded.
    package func filled(_ places: [String: String], query: [(String, String)] = []) -> String {
        var path = rawValue
        for (name, value) in places {
            path = path.replacing("{\(name)}", with: Self.encoded(value))
        }
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { output, byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
                output.append(character)
            } else {
                output += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
