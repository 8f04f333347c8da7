// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// The period between two changes of the signed-in user, identified by a random id and a counter.
///
/// To decide whether something belongs to the current epoch, compare epochs for equality; the counter only defines
/// their order.
package struct Epoch: Hashable, Sendable {
    package let id: ID
    package let counter: UInt64

    package init(id: ID, counter: UInt64) {
        self.id = id
        self.counter = counter
    }

    /// Makes an epoch with a random id.
    package init(random: inout some RandomNumberGenerator, counter: UInt64) {
        self.init(id: ID(random: &random), counter: counter)
    }
}

extension Epoch: LosslessStringConvertible {
    /// `<counter>.<id>`.
    package var description: String { "\(counter).\(id)" }

    package init?(_ description: String) {
        let text = description.utf8
        // UInt64 also accepts a sign, which no epoch has.
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")),
            text.first.map({ Hexadecimal.isDigit($0, .lower) }) == true,
            let counter = UInt64(description[..<dot]), let id = ID(String(description[text.index(after: dot)...]))
        else { return nil }
        self.init(id: id, counter: counter)
    }
}

/// Encoded as text; decoding malformed text is an error.
extension Epoch: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let epoch = Epoch(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not an epoch.")
        }
        self = epoch
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Epoch {
    /// 128 random bits, written as 32 lower-case hexadecimal digits.
    package struct ID: Hashable, Sendable, LosslessStringConvertible {
        package let description: String

        /// Returns nil unless `description` is 32 lower-case hexadecimal digits.
        package init?(_ description: String) {
            guard description.utf8.count == 32, description.utf8.allSatisfy({ Hexadecimal.isDigit($0, .lower) }) else {
                return nil
            }
            self.description = description
        }

        package init(random: inout some RandomNumberGenerator) {
            description = Hexadecimal.text(random.next()) + Hexadecimal.text(random.next())
        }

        /// Returns a new random id.
        package static func random() -> ID {
            var random = SystemRandomNumberGenerator()
            return ID(random: &random)
        }
    }
}

extension Epoch.ID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Epoch.ID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not the id of an epoch.")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
