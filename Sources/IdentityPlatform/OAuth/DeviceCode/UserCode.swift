// SPDX-License-Identifier: Apache-2.0

/// The code that a person reads on one screen and types on another (RFC 8628 section 6.1): eight letters from an
/// alphabet of twenty. There are no vowels, so that codes do not form words, and no digits, so that no letter can be
/// mistaken for a digit. A code has 34 bits, is valid for minutes and is protected against guessing.
struct UserCode: Sendable, Equatable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// The letters without separators, for comparison.
    let letters: String

    /// Generates a code. Random bytes of 240 or more are skipped, because they would make some letters more likely than
    /// others.
    init(_ environment: ClockAndRandomness) {
        var letters = ""
        while letters.count < Self.length {
            for byte in environment.randomBytes(Self.length * 2) where byte < 240 && letters.count < Self.length {
                letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
            }
        }
        self.letters = letters
    }

    /// Parses typed text; returns nil if it cannot be a code. Ignores case and all characters that are not letters.
    init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.uppercased().filter(\.isLetter)
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// The code as shown to people.
    var text: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
}
