// SPDX-License-Identifier: Apache-2.0
import Foundation
import JSON
import Testing

/// Compares the reader with Foundation's reader, on documents of a seeded generator and on damaged documents.
@Suite struct JudgeTests {
    private let limits = JSONLimits(bytes: 64 << 10)

    @Test func `written JSON is decoded unchanged by Baton and by Foundation`() throws {
        var documents = Documents(seed: .random(in: .min ... .max))
        for _ in 0..<1500 {
            let value = documents.value(depth: 4)
            let bytes = JSONWriter.write(value)
            #expect(try JSONReader.read(bytes, limits: limits) == value, "seed \(documents.seed)")
            #expect(try Foundations(bytes).agrees(with: value), "seed \(documents.seed)")
        }
    }

    @Test func `JSON from Foundation is decoded unchanged`() throws {
        var documents = Documents(seed: .random(in: .min ... .max))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted]
        for _ in 0..<1500 {
            let value = documents.value(depth: 4)
            let bytes = [UInt8](try encoder.encode(Foundations(value)))
            #expect(
                Foundations(try JSONReader.read(bytes, limits: limits)).agrees(with: value), "seed \(documents.seed)")
        }
    }

    @Test func `a value is encoded as it is written`() throws {
        var documents = Documents(seed: .random(in: .min ... .max))
        for _ in 0..<1500 {
            let value = documents.value(depth: 4)
            #expect(
                try JSONWriter.encode(Foundations(value)) == JSONWriter.write(value), "seed \(documents.seed)")
        }
    }

    @Test func `damaged text causes no trap, and is accepted only if Foundation also accepts it`() throws {
        var documents = Documents(seed: .random(in: .min ... .max))
        var taken = 0
        for _ in 0..<20_000 {
            let bytes = documents.damaged(JSONWriter.write(documents.value(depth: 3)))
            guard let value = try? JSONReader.read(bytes, limits: limits) else { continue }
            taken += 1
            #expect(try Foundations(bytes).agrees(with: value), "seed \(documents.seed): \(bytes)")
        }
        #expect(taken > 1000)
    }

    @Test(arguments: [
        "-14026603417110341.711", "9007199254740993", "9007199254740993.5", "92233720368547758070", "1e3", "0e5",
    ])
    func `a number of many digits has the value that Foundation gives it`(text: String) throws {
        let value = try JSONReader.read(Array(text.utf8), limits: limits)
        #expect(try Foundations(Array(text.utf8)).agrees(with: value))
    }
}

/// A value as Foundation reads and writes it.
private struct Foundations: Codable {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }
    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(Foundations.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let truth = try? container.decode(Bool.self) {
            value = .bool(truth)
        } else if let number = Self.number(in: container) {
            value = number
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let elements = try? container.decode([Foundations].self) {
            value = .array(elements.map(\.value))
        } else {
            value = .object(try container.decode([String: Foundations].self).mapValues(\.value))
        }
    }

    /// The number in a container; nil if there is none.
    ///
    /// Foundation reads `0e5` as an Int but not as a Double, and truncates a number of more than 15 digits to an Int.
    /// If Foundation reads the number as both and the results differ, the Double is right.
    private static func number(in container: any SingleValueDecodingContainer) -> JSONValue? {
        let (integer, number) = (try? container.decode(Int.self), try? container.decode(Double.self))
        if let integer, number == nil || Double(integer) == number { return .integer(integer) }
        return number.map(JSONValue.number)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let truth): try container.encode(truth)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements.map(Foundations.init))
        case .object(let members): try container.encode(members.mapValues(Foundations.init))
        }
    }

    /// Whether `other` is the same value. An integer equals a number with the same value, because Foundation turns
    /// `1.0` into an integer.
    func agrees(with other: JSONValue) -> Bool {
        switch (value, other) {
        case (.integer(let mine), .number(let theirs)): Double(mine) == theirs
        case (.number(let mine), .integer(let theirs)): mine == Double(theirs)
        case (.array(let mine), .array(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { Foundations($0).agrees(with: $1) }
        case (.object(let mine), .object(let theirs)):
            mine.count == theirs.count
                && mine.allSatisfy { name, value in
                    theirs[name].map { Foundations(value).agrees(with: $0) } ?? false
                }
        default: value == other
        }
    }
}

/// Documents and damage generated from a seed.
private struct Documents: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
        case 0: .null
        case 1: .bool(.random(using: &self))
        case 2: .integer(Int(truncatingIfNeeded: next()) >> Int.random(in: 0..<64, using: &self))
        case 3: .number(number())
        case 4, 5: .string(text())
        case 6: .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0...4, using: &self)).map { _ in (text(), value(depth: depth - 1)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    /// A number with a fraction, so that it is not written as an integer.
    private mutating func number() -> Double {
        let number = Double(bitPattern: next())
        return number.isFinite && number.rounded() != number ? number : 0.5
    }

    private mutating func text() -> String {
        let ranges: [ClosedRange<UInt32>] = [0...0x1f, 0x20...0x7f, 0x80...0x7ff, 0x800...0xd7ff, 0xe000...0x10ffff]
        var text = ""
        for _ in 0..<Int.random(in: 0...6, using: &self) {
            let range = ranges.randomElement(using: &self) ?? 0x20...0x7f
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &self)
            case 1: bytes.remove(at: offset)
            case 2: bytes.insert(Array(#"{}[]",:\u0-1.eE "#.utf8).randomElement(using: &self) ?? 0, at: offset)
            case 3: bytes.removeLast(bytes.count - offset)
            default: bytes.append(contentsOf: bytes[offset...].prefix(8))
            }
        }
        return bytes
    }
}
