// SPDX-License-Identifier: Apache-2.0
import Testing
import TraceSearch

/// Tokens in memory are recognized by their shape.
@Suite struct TokenScannerTests {
    private static func text(_ count: Int) -> String { String(repeating: "aB3_-", count: count / 5) }

    private static let signed = "eyJ\(text(20)).eyJ\(text(40)).\(text(85))"
    private static let opaque = "1.\(text(40)).\(text(60))"

    private func found(_ text: String) -> [String] {
        TokenScanner.tokens(in: Array(text.utf8)).map { "\($0.kind) \(String(decoding: $0.token, as: UTF8.self))" }
    }

    @Test func `signed and opaque tokens are found between other bytes`() {
        let text = "\0{\"token\":\"\(Self.signed)\",\"refresh\":\"\(Self.opaque)\"} Bearer \(Self.signed)\n"
        #expect(found(text) == ["signed \(Self.signed)", "opaque \(Self.opaque)", "signed \(Self.signed)"])
        #expect(found(Self.signed) == ["signed \(Self.signed)"] && found(Self.opaque) == ["opaque \(Self.opaque)"])
    }

    @Test func `a signed token is found after letters, and a long signature is cut`() {
        #expect(found("x" + Self.signed) == ["signed \(Self.signed)"])
        #expect(found("eyJx" + Self.signed) == ["signed eyJx\(Self.signed)"])
        let long = "eyJ\(Self.text(20)).eyJ\(Self.text(40))."
        #expect(found(long + Self.text(900)) == ["signed \(long)\(Self.text(700))"])
    }

    @Test func `text without the form of a token is not a token`() {
        for text in [
            "", "eyJ", "1.", String(Self.signed.dropLast(50)),
            "eyJ\(Self.text(15)).eyJ\(Self.text(40)).\(Self.text(85))",
            "eyJ\(Self.text(20)).\(Self.text(40)).\(Self.text(85))", "x" + Self.opaque, "." + Self.opaque,
            Self.opaque + ".", "2" + Self.opaque.dropFirst(), "1.\(Self.text(15)).\(Self.text(60))",
            "1.\(Self.text(40)).\(Self.text(25))", "1.\(Self.text(205)).\(Self.text(60))",
        ] { #expect(found(text).isEmpty, "\(text)") }
    }
}
