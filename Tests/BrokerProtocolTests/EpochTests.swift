// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import JSON
import Testing

/// Epochs in the messages between the broker's processes.
@Suite struct EpochTests {
    private let limits = JSONLimits(bytes: 4096, values: 16)

    @Test func `an epoch is encoded as its text, and decoded again`() throws {
        let text = "7.0123456789abcdef0123456789abcdef"
        let bytes = Array(#"{"app":"\#(text)"}"#.utf8)
        let epochs = try JSONReader.read([String: Epoch].self, from: bytes, limits: limits)
        #expect(epochs["app"]?.description == text)
        let id = try JSONReader.read(
            [Epoch.ID].self, from: Array(#"["0123456789abcdef0123456789abcdef"]"#.utf8), limits: limits)
        #expect(id == [epochs["app"]?.id])
    }

    @Test(arguments: [
        "", "7", "7.", "7.0123456789ABCDEF0123456789ABCDEF", "-1.0123456789abcdef0123456789abcdef",
        "+7.0123456789abcdef0123456789abcdef", "-0.0123456789abcdef0123456789abcdef",
        "18446744073709551616.0123456789abcdef0123456789abcdef", "7.0123456789abcdef0123456789abcde",
        "7.0123456789abcdef0123456789abcdef.", "7.../../../../../../../../../../etc",
    ])
    func `a malformed epoch is an error`(text: String) {
        let bytes = Array(#"["\#(text)"]"#.utf8)
        #expect(throws: (any Error).self) { try JSONReader.read([Epoch].self, from: bytes, limits: limits) }
        #expect(throws: (any Error).self) { try JSONReader.read([Epoch.ID].self, from: bytes, limits: limits) }
    }
}
