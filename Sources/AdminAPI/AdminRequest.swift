// SPDX-License-Identifier: Apache-2.0

/// A request for an operation, with its placeholders, query and body.
package struct AdminRequest<Reply: Sendable>: Sendable {
    package let operation: AdminOperation
    package var places: [String: String]
    package let query: [(String, String)]
    package let body: (any Encodable & Sendable)?

    /// The path with its placeholders filled in and the query appended, percent-encoded.
    package var path: String { operation.path(places, query: query) }
}

extension Endpoint where Body == Empty {
    /// Returns a request for the operation.
    package func callAsFunction(
        _ places: [String: String] = [:], query: [(String, String)] = []
    ) -> AdminRequest<Reply> {
        AdminRequest(operation: operation, places: places, query: query, body: nil)
    }
}

extension Endpoint where Body: Encodable {
    /// Returns a request for the operation with its body.
    package func callAsFunction(
        _ places: [String: String] = [:], query: [(String, String)] = [], body: Body
    ) -> AdminRequest<Reply> {
        AdminRequest(operation: operation, places: places, query: query, body: body)
    }
}

extension AdminOperation {
    /// Returns the path with its placeholders filled in and the query appended, percent-encoded.
    package func path(_ places: [String: String], query: [(String, String)] = []) -> String {
        var path = path
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
