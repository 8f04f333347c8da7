// SPDX-License-Identifier: Apache-2.0

/// A dictionary's members, read by name and type.
package struct Fields: Sendable {
    package let members: [String: PropertyList]

    package init(_ members: [String: PropertyList]) { self.members = members }

    /// Makes the fields of a dictionary; `name` appears in the error.
    ///
    /// - Throws: ``FieldError`` if `value` is not a dictionary.
    package init(_ value: PropertyList, as name: PropertyKey) throws(FieldError) {
        guard case .dictionary(let members) = value else { throw FieldError(name, .wrongType) }
        self.members = members
    }

    package subscript(key: PropertyKey) -> PropertyList? { members[key.rawValue] }

    package func optionalString(_ key: PropertyKey) throws(FieldError) -> String? {
        try optional(key) { if case .string(let value) = $0 { value } else { nil } }
    }

    package func optionalInteger(_ key: PropertyKey) throws(FieldError) -> Int64? {
        try optional(key) { if case .integer(let value) = $0 { value } else { nil } }
    }

    package func optionalBoolean(_ key: PropertyKey) throws(FieldError) -> Bool? {
        try optional(key) { if case .boolean(let value) = $0 { value } else { nil } }
    }

    package func optionalData(_ key: PropertyKey) throws(FieldError) -> [UInt8]? {
        try optional(key) { if case .data(let value) = $0 { value } else { nil } }
    }

    package func optionalArray(_ key: PropertyKey) throws(FieldError) -> [PropertyList]? {
        try optional(key) { if case .array(let value) = $0 { value } else { nil } }
    }

    package func optionalDictionary(_ key: PropertyKey) throws(FieldError) -> [String: PropertyList]? {
        try optional(key) { if case .dictionary(let value) = $0 { value } else { nil } }
    }

    package func optionalStrings(_ key: PropertyKey) throws(FieldError) -> [String]? {
        guard let elements = try optionalArray(key) else { return nil }
        var strings: [String] = []
        for element in elements {
            guard case .string(let value) = element else { throw FieldError(key, .wrongType) }
            strings.append(value)
        }
        return strings
    }

    package func string(_ key: PropertyKey) throws(FieldError) -> String { try required(key, try optionalString(key)) }
    package func integer(_ key: PropertyKey) throws(FieldError) -> Int64 { try required(key, try optionalInteger(key)) }
    package func boolean(_ key: PropertyKey) throws(FieldError) -> Bool { try required(key, try optionalBoolean(key)) }
    package func data(_ key: PropertyKey) throws(FieldError) -> [UInt8] { try required(key, try optionalData(key)) }
    package func array(_ key: PropertyKey) throws(FieldError) -> [PropertyList] {
        try required(key, try optionalArray(key))
    }
    package func dictionary(_ key: PropertyKey) throws(FieldError) -> [String: PropertyList] {
        try required(key, try optionalDictionary(key))
    }

    private func required<T>(_ key: PropertyKey, _ value: T?) throws(FieldError) -> T {
        guard let value else { throw FieldError(key, .missing) }
        return value
    }

    private func optional<T>(_ key: PropertyKey, _ convert: (PropertyList) -> T?) throws(FieldError) -> T? {
        guard let value = self[key] else { return nil }
        guard let converted = convert(value) else { throw FieldError(key, .wrongType) }
        return converted
    }
}

/// A member of a dictionary is missing, has the wrong type, or has a value out of range.
package struct FieldError: Error, Equatable, CustomStringConvertible {
    package enum Problem: String, Sendable {
        case missing = "is missing"
        case wrongType = "has the wrong type"
        case outOfRange = "has a value that is not allowed"
    }

    package let key: PropertyKey
    package let problem: Problem

    package init(_ key: PropertyKey, _ problem: Problem) {
        self.key = key
        self.problem = problem
    }

    package var description: String { "\(key.rawValue) \(problem.rawValue)" }
}
