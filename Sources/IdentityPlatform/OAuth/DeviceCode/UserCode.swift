// SPDX-License-Identifier: Apache-2.0

/// The code that a person reads on one screen and types at another (RFC 8628 section 6.1): eight letters of twenty, without
/// vowels, so that they form no words, and without those that look like a digit. 34 bits, good for minutes and guarded
/// against guessing.
struct UserCode: Sendable, Equatable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// The letters alone, as they are compared.
    let letters: String

    /// Draws a code; bytes that would prefer some letters are drawn again.
    init(_ environment: ClockAndRandomness) {
        var letters = ""
        while letters.count < Self.length {
            for byte in environment.randomBytes(Self.length * 2) where byte < 240 && letters.count < Self.length {
                letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
            }
        }
        self.letters = letters
    }

    /// Reads what somebody typed, in either case and with whatever signs between the letters; nil where it cannot be one.
    init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.uppercased().filter(\.isLetter)
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// How it is shown.
    var text: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
}
