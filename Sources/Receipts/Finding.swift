// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import OAuth

/// An optional fact in a receipt. "There is none" and "it could not be determined" are different values.
package enum Finding<Value: Sendable & Equatable>: Sendable, Equatable {
    case none
    case unknown
    case known(Value)
}

extension Finding {
    static var noneWord: String { "none" }
    static var unknownWord: String { "unknown" }
}

extension Finding<Int> {
    func write(_ name: ReceiptName, to body: inout MembersWriter) {
        switch self {
        case .none: body.set(name, Self.noneWord)
        case .unknown: body.set(name, Self.unknownWord)
        case .known(let value): body.set(name, value)
        }
    }

    static func read(_ name: ReceiptName, _ members: Members) throws -> Self {
        switch members[name] {
        case .integer(let value): .known(value)
        case .string(noneWord): .none
        case .string(unknownWord): .unknown
        default: throw ReceiptFailure.malformed
        }
    }
}

extension Finding<String> {
    func write(_ name: ReceiptName, to body: inout MembersWriter) {
        switch self {
        case .none: body.set(name, Self.noneWord)
        case .unknown: body.set(name, Self.unknownWord)
        case .known(let value): body.set(name, value)
        }
    }

    static func read(_ name: ReceiptName, _ members: Members) throws -> Self {
        switch try members.string(name) {
        case noneWord: .none
        case unknownWord: .unknown
        case let value where Pseudonym.isOne(value): .known(value)
        default: throw ReceiptFailure.malformed
        }
    }
}

extension Finding<[String]> {
    private static var maximumCount: Int { 128 }

    func write(_ name: ReceiptName, to body: inout MembersWriter) {
        switch self {
        case .none: body.set(name, Self.noneWord)
        case .unknown: body.set(name, Self.unknownWord)
        case .known(let values): body.set(name, values)
        }
    }

    /// Reads the member; returns `unknown` if it is missing, as in lines of earlier versions.
    static func read(_ name: ReceiptName, _ members: Members) throws -> Self {
        switch members[name] {
        case nil, .string(unknownWord): return .unknown
        case .string(noneWord): return .none
        case .array(let values) where (1...maximumCount).contains(values.count):
            let texts = values.compactMap(\.string)
            guard texts.count == values.count else { throw ReceiptFailure.malformed }
            return .known(texts)
        default: throw ReceiptFailure.malformed
        }
    }
}
