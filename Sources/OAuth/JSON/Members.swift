// SPDX-License-Identifier: Apache-2.0
package import JSON

/// Why a JSON object does not have the expected members. The error contains member names only, never values.
package enum MembersFailure: Error, Equatable {
    /// The data is not a JSON object (RFC 8259).
    case notAnObject
    /// The data exceeds one of the reader's limits, which are for length, depth and number of parts.
    case overLimit
    /// A required member is absent.
    case missing(String)
    /// A member has the wrong type.
    case wrongType(String)
}

/// The members of a JSON object from an untrusted source: a token's header or payload, or a reply.
package struct Members: Sendable, Equatable {
    package let values: [String: JSONValue]

    package init(_ values: [String: JSONValue]) { self.values = values }

    /// Parses one JSON object of at most `limit` bytes.
    ///
    /// - Throws: ``MembersFailure``.
    package init(decoding bytes: [UInt8], limit: Int = 64 * 1024) throws(MembersFailure) {
        let value: JSONValue
        do { value = try JSONReader.read(bytes, limits: JSONLimits(bytes: limit)) } catch {
            throw error.isOverLimit ? .overLimit : .notAnObject
        }
        guard let members = value.object else { throw .notAnObject }
        values = members
    }

    package subscript(name: some WireName) -> JSONValue? { values[name.rawValue] }

    /// Returns the string of a required member.
    package func string(_ name: some WireName) throws(MembersFailure) -> String {
        guard let text = try optionalString(name) else { throw .missing(name.rawValue) }
        return text
    }

    /// Returns the string of a member; nil if it is absent or null.
    package func optionalString(_ name: some WireName) throws(MembersFailure) -> String? {
        switch self[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw .wrongType(name.rawValue)
        }
    }

    /// Returns the integer of a required member.
    package func integer(_ name: some WireName) throws(MembersFailure) -> Int {
        switch self[name] {
        case nil, .null: throw .missing(name.rawValue)
        case .integer(let integer): return integer
        default: throw .wrongType(name.rawValue)
        }
    }

    /// Returns an integer; nil if it is absent or null. Also accepts a string of digits, which several clients send for
    /// `iat`, `exp` and `expires_in`.
    package func lenientInteger(_ name: some WireName) throws(MembersFailure) -> Int? {
        switch self[name] {
        case nil, .null: return nil
        case .integer(let integer): return integer
        case .number(let number):
            guard let integer = Int(exactly: number.rounded(.towardZero)) else { throw .wrongType(name.rawValue) }
            return integer
        case .string(let text):
            guard let integer = Int(text) else { throw .wrongType(name.rawValue) }
            return integer
        default: throw .wrongType(name.rawValue)
        }
    }

    /// Returns a boolean; nil if it is absent or null. Also accepts the strings `"true"` and `"false"`.
    package func lenientBool(_ name: some WireName) throws(MembersFailure) -> Bool? {
        switch self[name] {
        case nil, .null: return nil
        case .bool(let truth): return truth
        case .string(let text):
            switch text.lowercased() {
            case "true": return true
            case "false": return false
            default: throw .wrongType(name.rawValue)
            }
        default: throw .wrongType(name.rawValue)
        }
    }

    /// Returns a list of strings; nil if it is absent or null.
    package func strings(_ name: some WireName) throws(MembersFailure) -> [String]? {
        switch self[name] {
        case nil, .null: return nil
        case .array(let elements): return try texts(elements, name.rawValue)
        default: throw .wrongType(name.rawValue)
        }
    }

    /// Returns a list of strings; nil if it is absent or null. A single string counts as a list with one element
    /// (`x5c`, `aud`).
    package func stringOrStrings(_ name: some WireName) throws(MembersFailure) -> [String]? {
        if case .string(let text) = self[name] { return [text] }
        return try strings(name)
    }

    /// Returns the members of a nested object; nil if it is absent or null.
    package func members(_ name: some WireName) throws(MembersFailure) -> Members? {
        switch self[name] {
        case nil, .null: return nil
        case .object(let values): return Members(values)
        default: throw .wrongType(name.rawValue)
        }
    }

    private func texts(_ elements: [JSONValue], _ name: String) throws(MembersFailure) -> [String] {
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw .wrongType(name) }
            texts.append(text)
        }
        return texts
    }
}
