// SPDX-License-Identifier: Apache-2.0
import Redaction
import Testing

@Suite struct RedactionTests {
    @Test func `a secret reveals nothing, however it is printed`() {
        let secret = SecretBytes(copying: Array("hunter2".utf8))
        let token = Sensitive("hunter2")
        var dumped = ""
        dump((secret, token), to: &dumped)
        for text in ["\(secret)", "\(token)", String(reflecting: secret), String(reflecting: token), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("<redacted>"))
        }
    }

    @Test func `consuming an array moves its bytes and empties it`() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(consuming: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret == SecretBytes(copying: [1, 2, 3]))
    }

    @Test(arguments: [
        ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false), ([1, 2], [1, 2, 3], false), ([], [], true),
    ])
    func `constant-time comparison agrees with ordinary equality`(left: [UInt8], right: [UInt8], equal: Bool) {
        #expect(equalInConstantTime(left, right) == equal)
        #expect((SecretBytes(copying: left) == SecretBytes(copying: right)) == equal)
    }
}
