// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc

/// What the search looks for: a text, or bytes such as a key.
package enum Canary: Sendable, Equatable {
    case text(String)
    case bytes([UInt8])

    /// The minimum length of a canary in bytes. Shorter texts occur by chance.
    package static let shortest = 6

    var raw: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// Reads canaries from standard input; see ``read(_:)``.
    package static func readStandardInput() throws(WrongCall) -> [String: Canary] {
        let number = dup(STDIN_FILENO)
        guard number >= 0, let json = try? OpenFile(owning: number).readAll() else {
            throw WrongCall("the canaries on standard input cannot be read")
        }
        return try read(json)
    }

    /// Reads a JSON object: canary name → text, or `{"hex": digits}`.
    ///
    /// - Throws: ``WrongCall`` if the JSON has another form.
    package static func read(_ json: [UInt8]) throws(WrongCall) -> [String: Canary] {
        let canaries: [String: Canary]
        do { canaries = try JSONDecoder().decode([String: Canary].self, from: Data(json)) } catch {
            throw WrongCall("the canaries are not a JSON object of texts and hexadecimal digits")
        }
        guard !canaries.isEmpty else { throw WrongCall("no canaries") }
        for (name, canary) in canaries where canary.raw.count < shortest {
            throw WrongCall("canary \(name) has less than \(shortest) bytes")
        }
        return canaries
    }
}

extension Canary: Codable {
    private enum Key: String, CodingKey { case hex }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        let digits = try container.decode(String.self, forKey: .hex)
        guard let bytes = [UInt8](hexadecimal: digits) else {
            throw DecodingError.dataCorruptedError(forKey: .hex, in: container, debugDescription: "no digits")
        }
        self = .bytes(bytes)
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .bytes(let bytes):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(bytes.hexadecimal, forKey: .hex)
        }
    }
}

extension [UInt8] {
    /// Lower-case hexadecimal digits.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }

    /// Decodes pairs of hexadecimal digits; nil if the text has another form.
    init?(hexadecimal text: String) {
        let digits = Array<UInt8>(text.utf8)
        let values = digits.compactMap { digit in Character(Unicode.Scalar(digit)).hexDigitValue }
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }
}

/// An invalid call. Nothing is searched.
package struct WrongCall: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
