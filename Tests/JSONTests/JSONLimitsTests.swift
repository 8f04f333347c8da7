// SPDX-License-Identifier: Apache-2.0
import JSON
import Testing

/// Each limit accepts a document exactly at the limit, and refuses a document just over the limit.
@Suite struct JSONLimitsTests {
    private func code(_ text: String, _ limits: JSONLimits) -> JSONFailure.Code? {
        do { _ = try JSONReader.read(Array(text.utf8), limits: limits) } catch { return error.code }
        return nil
    }

    @Test func `the number of bytes of the whole text is limited`() {
        let limits = JSONLimits(bytes: 5)
        #expect(code(#""abc""#, limits) == nil)
        #expect(code(#""abcd""#, limits) == .tooLong)
        #expect(code("     1", limits) == .tooLong)
    }

    @Test func `nesting levels are limited, and a million of them do not overflow the stack`() {
        let limits = JSONLimits(bytes: 4 << 20, depth: 3)
        #expect(code("[[[1]]]", limits) == nil)
        #expect(code("[[[]],[[]],[[]]]", limits) == nil)
        #expect(code("[[[[]]]]", limits) == .tooDeep)
        #expect(code(#"{"a":{"a":{"a":{}}}}"#, limits) == .tooDeep)
        #expect(code(String(repeating: "[", count: 1_000_000), limits) == .tooDeep)
        #expect(code(String(repeating: #"{"":"#, count: 1_000_000), limits) == .tooDeep)
        #expect(code("[]", JSONLimits(bytes: 9, depth: 0)) == .tooDeep)
    }

    @Test func `values are counted over the whole text`() {
        let limits = JSONLimits(bytes: 4096, values: 5)
        #expect(code("[1,1,1,1]", limits) == nil)
        #expect(code("[1,1,1,1,1]", limits) == .tooMany)
        #expect(code("[[1],[1]]", limits) == nil)
        #expect(code("[[1],[1],[]]", limits) == .tooMany)
        #expect(code(#"{"a":{"a":1,"b":1},"b":1}"#, limits) == nil)
        #expect(code(#"{"a":{"a":1,"b":1},"b":{"a":1}}"#, limits) == .tooMany)
    }

    @Test func `strings and keys are limited by their written length`() {
        let limits = JSONLimits(bytes: 4096, stringBytes: 6)
        #expect(code(#""123456""#, limits) == nil)
        #expect(code(#""1234567""#, limits) == .textTooLong)
        #expect(code(#""\u0041""#, limits) == nil)
        #expect(code(#""\u0041a""#, limits) == .textTooLong)
        #expect(code(#"{"1234567":1}"#, limits) == .textTooLong)
    }

    @Test func `numbers are limited, so that none takes long to parse`() {
        let limits = JSONLimits(bytes: 4 << 20)
        #expect(code("0." + String(repeating: "1", count: 126), limits) == nil)
        #expect(code("0." + String(repeating: "1", count: 127), limits) == .textTooLong)
        #expect(code(String(repeating: "9", count: 1_000_000), limits) == .textTooLong)
    }

    @Test func `an error has a code and a position, and nothing of the text`() {
        let failure = JSONFailure(.duplicateKey, at: 17)
        #expect("\(failure)" == "json_duplicate_key at byte 17")
        #expect(!failure.isOverLimit)
        #expect(JSONFailure(.tooMany, at: 0).isOverLimit)
    }
}
