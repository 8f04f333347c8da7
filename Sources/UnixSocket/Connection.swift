// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import Redaction

/// A connected stream socket for length-prefixed frames: a four-byte big-endian length, then that many bytes.
///
/// Calls block; use one thread per connection. Reading and writing may happen on different threads, but not two reads
/// or two writes at once. ``shutDown()`` may be called from any thread and ends a waiting read.
package final class Connection: Sendable {
    package let descriptor: Descriptor
    private let maximumFrame: Int
    private let descriptorCapacity: Int32

    /// Wraps a connected socket. Frames longer than `maximumFrame` bytes are refused in both directions.
    ///
    /// - Parameter acceptsDescriptors: false closes any descriptors that the peer attaches; use it for untrusted peers.
    package init(_ descriptor: Descriptor, maximumFrame: Int, acceptsDescriptors: Bool = true) {
        self.descriptor = descriptor
        self.maximumFrame = maximumFrame
        descriptorCapacity = acceptsDescriptors ? 8 : 0
    }

    /// Connects to the socket at `path`.
    ///
    /// - Throws: ``SocketError`` with `ENOENT` or `ECONNREFUSED` if nothing listens there.
    package static func connect(to path: String, maximumFrame: Int) throws(SocketError) -> Connection {
        let number = unsafe clinux_connect(path)
        guard number >= 0 else { throw SocketError(call: .connect, errno: -number) }
        return Connection(Descriptor(owning: number), maximumFrame: maximumFrame)
    }

    /// Returns two connected ends.
    ///
    /// - Throws: ``SocketError`` if the process has no descriptor left.
    package static func pair(maximumFrame: Int) throws(SocketError) -> (Connection, Connection) {
        var ends: [2 of Int32] = [-1, -1]
        let outcome = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe clinux_socket_pair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard outcome == 0 else { throw SocketError(call: .pair, errno: -outcome) }
        return (
            Connection(Descriptor(owning: ends[0]), maximumFrame: maximumFrame),
            Connection(Descriptor(owning: ends[1]), maximumFrame: maximumFrame)
        )
    }

    /// A frame and the descriptors attached to it.
    package struct Frame: Sendable {
        package let body: SecretBytes
        package let descriptors: [Descriptor]
    }

    /// Why no frame was read.
    package enum ReadFailure: Error, Equatable {
        /// The peer closed the connection between two frames, or ``Connection/shutDown()`` was called.
        case ended
        /// The connection ended in the middle of a frame.
        case truncated
        /// The peer announced a frame that is longer than the limit.
        case tooLarge(Int)
        /// `admits` refused the announced frame.
        case notAdmitted(Int)
        /// The rest of a frame did not arrive in time.
        case tooSlow
        case socket(SocketError)
    }

    /// Waits for the next frame.
    ///
    /// The body is ``SecretBytes`` because frames contain tokens: it is overwritten when the last reference is
    /// released.
    ///
    /// - Parameters:
    ///   - patience: the time limit for the rest of a frame after its beginning; nil waits without limit.
    ///   - admits: whether to accept a frame of this length; called before memory is allocated for it.
    package func read(
        patience: Duration? = nil, admits: (Int) -> Bool = { _ in true }
    ) throws(ReadFailure) -> Frame {
        var descriptors: [Descriptor] = []
        var deadline: ContinuousClock.Instant?
        let header = try SecretBytes(count: 4) { (span: inout MutableRawSpan) throws(ReadFailure) in
            try fill(&span, descriptors: &descriptors, startsFrame: true, patience: patience, deadline: &deadline)
        }
        let count = header.withBytes { Int(UInt32(bigEndian: unsafe $0.unsafeLoadUnaligned(as: UInt32.self))) }
        guard count <= maximumFrame else { throw .tooLarge(count) }
        guard admits(count) else { throw .notAdmitted(count) }
        let body = try SecretBytes(count: count) { (span: inout MutableRawSpan) throws(ReadFailure) in
            try fill(&span, descriptors: &descriptors, startsFrame: false, patience: patience, deadline: &deadline)
        }
        return Frame(body: body, descriptors: descriptors)
    }

    /// - Parameter deadline: the deadline for the rest of the frame; set when only a part of the frame has arrived.
    private func fill(
        _ span: inout MutableRawSpan, descriptors: inout [Descriptor], startsFrame: Bool, patience: Duration?,
        deadline: inout ContinuousClock.Instant?
    ) throws(ReadFailure) {
        var filled = 0
        while filled < span.byteCount {
            if let patience, !startsFrame || filled > 0 {
                if deadline == nil { deadline = .now + patience }
                try awaitMore(until: deadline ?? .now)
            }
            let received = receive(&span, at: filled, descriptors: &descriptors)
            guard received >= 0 else { throw .socket(SocketError(call: .receive, errno: Int32(-received))) }
            guard received > 0 else { throw startsFrame && filled == 0 ? .ended : .truncated }
            filled += received
        }
    }

    /// Waits until data can be read.
    private func awaitMore(until deadline: ContinuousClock.Instant) throws(ReadFailure) {
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { throw .tooSlow }
            let ready = descriptor.withNumber { number in
                var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&question, 1, Int32(clamping: Int64(rest / .milliseconds(1)) + 1))
            }
            if ready > 0 { return }
        }
    }

    private func receive(_ span: inout MutableRawSpan, at offset: Int, descriptors: inout [Descriptor]) -> Int {
        var numbers: [8 of Int32] = .init(repeating: -1)
        var arrived: Int32 = 0
        let received = descriptor.withNumber { socket in
            unsafe span.withUnsafeMutableBytes { bytes in
                unsafe withUnsafeMutableBytes(of: &numbers) { numbers in
                    unsafe clinux_receive(
                        socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                        numbers.baseAddress?.assumingMemoryBound(to: Int32.self), descriptorCapacity, &arrived)
                }
            }
        }
        for index in 0..<Int(arrived) { descriptors.append(Descriptor(owning: numbers[index])) }
        return received
    }

    /// Sends one frame with up to eight descriptors attached.
    ///
    /// - Throws: ``SocketError`` with `EPIPE` if the peer is gone, `EMSGSIZE` if the frame is over the limit.
    package func write(_ body: [UInt8], descriptors: [Descriptor] = []) throws(SocketError) {
        guard body.count <= maximumFrame else { throw SocketError(call: .send, errno: EMSGSIZE) }
        var frame = [UInt8](repeating: 0, count: 4 + body.count)
        defer { wipe(&frame) }
        frame.replaceSubrange(0..<4, with: withBigEndianBytes(of: UInt32(body.count)))
        frame.replaceSubrange(4..., with: body)
        var sent = 0
        while sent < frame.count {
            let count = send(frame, from: sent, descriptors: sent == 0 ? descriptors : [])
            guard count >= 0 else { throw SocketError(call: .send, errno: Int32(-count)) }
            sent += count
        }
    }

    private func withBigEndianBytes(of value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
    }

    private func send(_ frame: [UInt8], from offset: Int, descriptors: [Descriptor]) -> Int {
        // `descriptors` keeps the objects alive; the kernel takes its own reference during the call.
        let numbers = descriptors.map { $0.withNumber { $0 } }
        return descriptor.withNumber { socket in
            unsafe frame.withUnsafeBytes { bytes in
                unsafe numbers.withUnsafeBufferPointer { numbers in
                    unsafe clinux_send(
                        socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                        numbers.baseAddress, Int32(numbers.count))
                }
            }
        }
    }

    /// Ends the connection for both sides and for every process that shares it. Waiting reads return.
    package func shutDown() {
        _ = descriptor.withNumber { socket in Glibc.shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
