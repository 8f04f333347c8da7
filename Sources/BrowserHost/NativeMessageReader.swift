// SPDX-License-Identifier: Apache-2.0

/// Splits a browser's stream into messages: four bytes of length in the machine's byte order, then that many bytes of
/// JSON.
///
/// It does no input or output.
package struct NativeMessageReader {
    /// A message is longer than any message that Baton's extension sends, so the reader does not know where the next
    /// message begins.
    package struct TooLong: Error, Equatable {
        package let count: Int
    }

    /// The maximum length of a message from the extension, in bytes.
    package static let maximumRequest = 64 << 10
    /// The maximum length of a message to the extension, in bytes. Browsers end a host that sends a longer message.
    package static let maximumAnswer = 1 << 20
    private static let headLength = 4

    private var bytes: [UInt8] = []

    package init() {}

    /// Whether all bytes so far belong to complete messages.
    package var isBetweenMessages: Bool { bytes.isEmpty }

    /// Adds bytes and returns the messages that are complete.
    ///
    /// - Throws: ``TooLong``. The reader cannot be used afterwards.
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

    /// Returns a message with its length before it; nil if the message is longer than browsers accept.
    package static func frame(_ message: [UInt8]) -> [UInt8]? {
        guard message.count <= maximumAnswer else { return nil }
        return unsafe withUnsafeBytes(of: UInt32(message.count)) { unsafe Array($0) } + message
    }
}
