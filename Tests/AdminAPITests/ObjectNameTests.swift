// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import Testing

@Suite struct ObjectNameTests {
    private static let guid = "11111111-2222-4333-8444-5555AAAABBBB"

    @Test(arguments: ["", "a\u{0}b", "a\nb", "\u{7f}", "a\u{85}", "a\u{2028}b", "\u{2029}"])
    func `a text without characters or with a control character names nothing`(text: String) {
        #expect(ObjectName(text) == nil)
    }

    @Test(arguments: [
        guid, guid.lowercased(), "00008030-001A2B3C4D5E6F70", "00008030-001a2b3c4d5e6f70",
        "0123456789abcdefABCDEF0123456789abcdef01",
    ])
    func `a text in the form of an id is one`(text: String) throws {
        let name = try #require(ObjectName(text))
        #expect(name.isID)
        #expect(name.guid == (text.count == 36 ? Self.guid.lowercased() : nil))
    }

    @Test(arguments: [
        "ward-7", "Zoë", " ", "00008030-001A2B3C4D5E6F7", "00008030-001A2B3C4D5E6F7g", "00008030001A2B3C4D5E6F70",
        "{11111111-2222-4333-8444-5555aaaabbbb}", "111111112222-4333-8444-5555aaaabbbb",
        // Hexadecimal digits of full width, which Unicode also counts as such.
        "１1111111-2222-4333-8444-5555aaaabbbb", "0123456789abcdefABCDEF0123456789abcdef0Ａ",
        "0123456789abcdefABCDEF0123456789abcdef012",
    ])
    func `any other text is a name`(text: String) throws {
        let name = try #require(ObjectName(text))
        #expect(!name.isID && name.guid == nil && name.text == text)
    }

    @Test func `a UDID is also looked for in capitals and in small letters`() throws {
        #expect(try #require(ObjectName("Ab-1")).otherCases == ["AB-1", "ab-1"])
        #expect(try #require(ObjectName("AB-1")).otherCases == ["ab-1"])
        #expect(try #require(ObjectName("1")).otherCases == [])
    }

    @Test func `a refusal lists ten candidates and says how many more there are`() throws {
        let all = (1...10).map { AdminFailure.Candidate(id: "id-\($0)", name: "ward") }
        let few = AdminFailure.Candidates(Array(all.prefix(2)), of: 2)
        #expect(few.words == "ward (id-1), ward (id-2)")
        let many = AdminFailure.Candidates(all, of: 12)
        #expect(many.listed == all && many.words.hasSuffix("ward (id-10) and 2 more"))
        let failure = AdminFailure(code: "c", message: "m", remedy: "r", candidates: many)
        #expect(failure.error.moreCandidates == 2)
        let text = String(
            decoding: try JSONEncoder().encode(AdminFailure(code: "c", message: "m", remedy: "r")), as: UTF8.self)
        #expect(!text.lowercased().contains("candidates"))
        let exact = AdminFailure(code: "c", message: "m", remedy: "r", candidates: few)
        #expect(exact.error.candidates == few.listed && exact.error.moreCandidates == nil)
    }
}
