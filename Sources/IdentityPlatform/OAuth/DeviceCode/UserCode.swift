// SPDX-License-Identifier: Apache-2.0

/// The code that a person reads on one screen and types on another (RFC 8628 section 6.1): eight of twenty letters,
/// without vowels, so that they do not form words, and without letters that look like digits. It has 34 bits, is valid
/// for minutes and is protected against guessing.
struct UserCode: Sendable, Equatable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// The letters without separators, for comparison.
    let letters: String

    /// Generates a code. Random bytes from 240 up are skipped, because they would favour some letters.
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
