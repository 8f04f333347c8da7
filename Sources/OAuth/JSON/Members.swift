// SPDX-License-Identifier: Apache-2.0
package import JSON

/// Why a JSON object does not hold what its reader asks of it; member names only, never a value.
package enum MembersFailure: Error, Equatable {
    /// Not a JSON object (RFC 8259).
    case notAnObject
    /// Longer, deeper or of more parts than the reader's limit.
    case overLimit
    /// A member is absent.
    case missing(String)
    /// A member has another type than it must have.
    case wrongType(String)
}

/// The members of one JSON object that came from outside: a token's header or payload, a reply.
package struct Members: Sendable, Equatable {
    package let values: [String: JSONValue]

    package init(_ values: [String: JSONValue]) { self.values = values }

    /// Reads one JSON object of at most `limit` bytes.
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

    /// The text of a member that must be there.
    package func string(_ name: some WireName) throws(MembersFailure) -> String {
        guard let text = try optionalString(name) else { throw .missing(name.rawValue) }
        return text
    }

    /// The text of a member that may be absent or null.
    package func optionalString(_ name: some WireName) throws(MembersFailure) -> String? {
        switch self[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw .wrongType(name.rawValue)
        }
    }

    /// The whole number of a member that must be there.
    package func integer(_ name: some WireName) throws(MembersFailure) -> Int {
        switch self[name] {
        case nil, .null: throw .missing(name.rawValue)
        case .integer(let integer): return integer
        default: throw .wrongType(name.rawValue)
        }
    }

    /// A whole number that may be absent, and may be written as a string of digits, as several clients write `iat`,
    /// `exp` and `expires_in`.
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

    /// A truth value that may be absent, and may be written as `"true"` or `"false"`.
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

    /// A list of texts that may be absent.
    package func strings(_ name: some WireName) throws(MembersFailure) -> [String]? {
        switch self[name] {
        case nil, .null: return nil
        case .array(let elements): return try texts(elements, name.rawValue)
        default: throw .wrongType(name.rawValue)
        }
    }

    /// A list of texts that may be absent, where a single text stands for a list of one (`x5c`, `aud`).
    package func stringOrStrings(_ name: some WireName) throws(MembersFailure) -> [String]? {
        if case .string(let text) = self[name] { return [text] }
        return try strings(name)
    }

    /// The members of a nested object that may be absent.
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
