// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import Testing

@Suite struct EncodedObjectTests {
    private func encoded(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    @Test(arguments: 0..<12) func `an object of any length is decoded`(length: Int) {
        let text = String(repeating: "~?", count: length) + "ü"
        let object = encoded(#"{"a":"\#(text)"}"#)
        #expect(EncodedObject(object)?.members == ["a": .string(text)])
        #expect(EncodedObject(payloadOf: "e30.\(object).c2ln")?.members == ["a": .string(text)])
    }

    @Test(arguments: [
        "", "e", "e30=", "e31", "e3 0", "e30\n", "e30+", "W10", "bnVsbA", "e30.", "ïe30", "eyJhIjoxLCJhIjoyfQ",
    ])
    func `text that is not base64url or not an object is refused`(text: String) {
        #expect(EncodedObject(text) == nil)
        #expect(EncodedObject(payloadOf: "e30.\(text).c2ln") == nil)
    }

    @Test(arguments: ["", "e30", "e30.e30", "e30.e30.c2ln.", ".e30"])
    func `a token has three parts`(token: String) {
        #expect(EncodedObject(payloadOf: token) == nil)
        #expect(EncodedObject(payloadOf: "e30.e30.c2ln")?.members == [:])
    }

    @Test func `an object over the limits is refused`() {
        let deep = String(repeating: #"{"a":"#, count: 9) + "1" + String(repeating: "}", count: 9)
        #expect(EncodedObject(encoded(deep)) == nil)
        #expect(EncodedObject(encoded(#"{"a":"\#(String(repeating: "x", count: 70_000))"}"#)) == nil)
    }
}
