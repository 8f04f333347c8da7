// SPDX-License-Identifier: Apache-2.0

/// Takes the messages of a browser apart: four bytes of length in the machine's own order, then that many bytes of JSON.
///
/// A pure value: bytes go in as they come, whole messages come out.
package struct NativeMessageReader {
    /// A message is longer than an extension of ours ever sends; what follows it cannot be found any more.
    package struct TooLong: Error, Equatable {
        package let count: Int
    }

    /// Bytes of one message of the extension.
    package static let maximumRequest = 64 << 10
    /// Bytes of one message to the extension, above which browsers end the host.
    package static let maximumAnswer = 1 << 20
    private static let headLength = 4

    private var bytes: [UInt8] = []

    package init() {}

    /// Whether no message has begun that has not ended.
    package var isBetweenMessages: Bool { bytes.isEmpty }

    /// Takes what has come and gives the messages that are whole.
    ///
    /// - Throws: ``TooLong``; the reader takes nothing more then.
    package mutating func take(_ more: some Sequence<UInt8>) throws(TooLong) -> [[UInt8]] {
        bytes += more
        var messages: [[UInt8]] = []
        var start = 0
        while bytes.count - start >= Self.headLength {
            let count = Self.count(bytes[start..<start + Self.headLength])
            guard count <= Self.maximumRequest else { throw TooLong(count: count) }
            let body = start + Self.headLength
            guard bytes.count - body >= count else { break }
            messages.append(Array(bytes[body..<body + count]))
            start = body + count
        }
        bytes.removeFirst(start)
        return messages
    }

    private static func count(_ head: ArraySlice<UInt8>) -> Int {
        var count: UInt32 = 0
        unsafe withUnsafeMutableBytes(of: &count) { unsafe $0.copyBytes(from: head) }
        return Int(count)
    }

    /// A message as the browser reads it; nil for one that is longer than browsers take.
    package static func frame(_ message: [UInt8]) -> [UInt8]? {
        guard message.count <= maximumAnswer else { return nil }
        return unsafe withUnsafeBytes(of: UInt32(message.count)) { unsafe Array($0) } + message
    }
}
