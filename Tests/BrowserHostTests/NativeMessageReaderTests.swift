// SPDX-License-Identifier: Apache-2.0
import BrowserHost
import Testing

@Suite struct NativeMessageReaderTests {
    private func frame(_ count: Int) throws -> [UInt8] {
        try #require(NativeMessageReader.frame([UInt8](repeating: 0x61, count: count)))
    }

    @Test func `messages are reassembled, however their bytes arrive`() throws {
        let bytes = try frame(0) + frame(1) + frame(300)
        for step in [1, 2, 3, 5, 64, bytes.count] {
            var reader = NativeMessageReader()
            var sizes: [Int] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                sizes += try reader.take(bytes[start..<min(start + step, bytes.count)]).map(\.count)
            }
            #expect(sizes == [0, 1, 300] && reader.isBetweenMessages, "steps of \(step)")
        }
    }

    @Test func `a message of 64 KiB is accepted, and a longer one refused before it has arrived`() throws {
        var reader = NativeMessageReader()
        #expect(try reader.take(try frame(64 << 10)).map(\.count) == [64 << 10])
        for count in [UInt32(64 << 10) + 1, 1 << 20, .max] {
            var reader = NativeMessageReader()
            let head = (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
            let error = #expect(throws: NativeMessageReader.TooLong.self) { try reader.take(head) }
            #expect(error?.count == Int(count))
        }
    }

    @Test func `an answer of 1 MiB is written, and a longer one is not`() throws {
        #expect(try frame(1 << 20).count == (1 << 20) + 4)
        #expect(NativeMessageReader.frame([UInt8](repeating: 0, count: (1 << 20) + 1)) == nil)
    }

    @Test func `an incomplete message is known to be incomplete`() throws {
        var reader = NativeMessageReader()
        #expect(try reader.take(try frame(2).dropLast()).isEmpty && !reader.isBetweenMessages)
    }
}
