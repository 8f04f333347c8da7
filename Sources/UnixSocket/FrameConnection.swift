// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import Redaction

/// A connected stream socket for length-prefixed frames: a four-byte big-endian length, then that many bytes.
///
/// Calls block; use one thread per connection. Reading and writing may happen on different threads, but not two reads
/// or two writes at once. ``shutDown()`` may be called from any thread and ends a waiting read.
package final class FrameConnection: Sendable {
    package let descriptor: Descriptor
    private let maximumFrame: Int
    private let descriptorCapacity: Int32

    /// Wraps a connected socket. Frames longer than `maximumFrame` bytes are refused in both directions.
    ///
    /// - Parameter acceptsDescriptors: if false, descriptors that the peer attaches are closed; use false for untrusted
    ///   peers.
    package init(_ descriptor: Descriptor, maximumFrame: Int, acceptsDescriptors: Bool = true) {
        self.descriptor = descriptor
        self.maximumFrame = maximumFrame
        descriptorCapacity = acceptsDescriptors ? 8 : 0
    }

    /// Connects to the socket at `path`.
    ///
    /// - Throws: ``SocketError`` with `ENOENT` or `ECONNREFUSED` if nothing listens there.
    package static func connect(to path: String, maximumFrame: Int) throws(SocketError) -> FrameConnection {
        let number = unsafe clinux_connect(path)
        guard number >= 0 else { throw SocketError(call: .connect, errno: -number) }
        return FrameConnection(Descriptor(owning: number), maximumFrame: maximumFrame)
    }

    /// Returns two connected ends.
    ///
    /// - Throws: ``SocketError`` if the process has no descriptor left.
    package static func pair(maximumFrame: Int) throws(SocketError) -> (FrameConnection, FrameConnection) {
        var ends: [2 of Int32] = [-1, -1]
        let outcome = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe clinux_socket_pair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard outcome == 0 else { throw SocketError(call: .pair, errno: -outcome) }
        return (
            FrameConnection(Descriptor(owning: ends[0]), maximumFrame: maximumFrame),
            FrameConnection(Descriptor(owning: ends[1]), maximumFrame: maximumFrame)
        )
    }

    /// A frame and the descriptors attached to it.
    package struct Frame: Sendable {
        package let body: SecretBytes
        package let descriptors: [Descriptor]
    }

    /// Why no frame was read.
    package enum ReadFailure: Error, Equatable {
        /// The peer closed the connection between two frames, or ``FrameConnection/shutDown()`` was called.
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

    /// Waits until a frame begins or the connection ends, for threads that wait between frames.
    ///
    /// Without this call, ``read(patience:admits:)`` waits in recvmsg(2), where the kernel also wakes the thread when
    /// the peer receives what this process sent. Each frame would then cost one useless thread switch. The kernel does
    /// not wake a thread that waits in poll(2) at that moment.
    package func awaitFrame() { _ = descriptor.isReadable(within: -1) }

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
        var header: UInt32 = 0
        try unsafe withUnsafeMutableBytes(of: &header) { (bytes) throws(ReadFailure) in
            var span = unsafe bytes.mutableBytes
            try fill(&span, descriptors: &descriptors, startsFrame: true, patience: patience, deadline: &deadline)
        }
        let count = Int(UInt32(bigEndian: header))
        guard count <= maximumFrame else { throw .tooLarge(count) }
        guard admits(count) else { throw .notAdmitted(count) }
        let body = try SecretBytes(count: count) { (span: inout MutableRawSpan) throws(ReadFailure) in
            try fill(&span, descriptors: &descriptors, startsFrame: false, patience: patience, deadline: &deadline)
        }
        return Frame(body: body, descriptors: descriptors)
    }

    /// Fills `span` with data from the socket.
    ///
    /// - Parameter deadline: the deadline for the rest of the frame; set when only a part of the frame has arrived.
    private func fill(
        _ span: inout MutableRawSpan, descriptors: inout [Descriptor], startsFrame: Bool, patience: Duration?,
        deadline: inout ContinuousClock.Instant?
    ) throws(ReadFailure) {
        var filled = 0
        while filled < span.byteCount {
            let isLimited = patience != nil && (!startsFrame || filled > 0)
            if isLimited, deadline == nil { deadline = patience.map { .now + $0 } }
            // If there is a time limit, only `awaitMore` waits. Usually the data has already arrived.
            let received = receive(&span, at: filled, waits: !isLimited, descriptors: &descriptors)
            if isLimited, received == -Int(EAGAIN) {
                try awaitMore(until: deadline ?? .now)
                continue
            }
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

    private func receive(
        _ span: inout MutableRawSpan, at offset: Int, waits: Bool, descriptors: inout [Descriptor]
    ) -> Int {
        var numbers: [8 of Int32] = .init(repeating: -1)
        var arrived: Int32 = 0
        let received = descriptor.withNumber { socket in
            unsafe span.withUnsafeMutableBytes { bytes in
                unsafe withUnsafeMutableBytes(of: &numbers) { numbers in
                    unsafe clinux_receive(
                        socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                        numbers.baseAddress?.assumingMemoryBound(to: Int32.self), descriptorCapacity, &arrived,
                        waits ? 0 : Int32(MSG_DONTWAIT))
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
        var frame = try frame(body)
        defer { wipe(&frame) }
        _ = try unsafe send(frame.span.bytes, from: 0, waits: true, descriptors: descriptors)
    }

    /// A frame that has been sent in part, or not at all.
    package struct UnsentFrame: Sendable {
        fileprivate let frame: SecretBytes
        fileprivate let sent: Int
    }

    /// Sends as much of a frame as the socket accepts at once.
    ///
    /// - Returns: the frame if a part of it has not been sent; pass it to ``write(_:)`` before any other frame is sent.
    ///   Otherwise nil.
    /// - Throws: the errors of ``write(_:descriptors:)``.
    package func writeWithoutWaiting(_ body: [UInt8]) throws(SocketError) -> UnsentFrame? {
        var frame = try frame(body)
        defer { wipe(&frame) }
        let sent = try unsafe send(frame.span.bytes, from: 0, waits: false)
        return sent < frame.count ? UnsentFrame(frame: SecretBytes(copying: frame), sent: sent) : nil
    }

    /// Returns a frame of which nothing has been sent yet, for ``write(_:)``.
    ///
    /// - Throws: ``SocketError`` with `EMSGSIZE` if the frame is over the limit.
    package func unsent(_ body: [UInt8]) throws(SocketError) -> UnsentFrame {
        var frame = try frame(body)
        return UnsentFrame(frame: SecretBytes(consuming: &frame), sent: 0)
    }

    /// Sends the rest of a frame; waits until the socket has accepted it.
    ///
    /// - Throws: the errors of ``write(_:descriptors:)``.
    package func write(_ unsent: UnsentFrame) throws(SocketError) {
        _ = try unsent.frame.withBytes { (bytes) throws(SocketError) in
            try send(bytes, from: unsent.sent, waits: true)
        }
    }

    /// Returns the frame for `body`: the length of `body`, then its bytes.
    private func frame(_ body: [UInt8]) throws(SocketError) -> [UInt8] {
        guard body.count <= maximumFrame else { throw SocketError(call: .send, errno: EMSGSIZE) }
        let count = UInt32(body.count)
        var frame: [UInt8] = []
        frame.reserveCapacity(4 + body.count)
        for shift: UInt32 in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: count >> shift)) }
        frame += body
        return frame
    }

    /// Sends the bytes from `offset` on and returns the offset of the first unsent byte. If `waits` is true, sends all
    /// bytes.
    private func send(
        _ bytes: RawSpan, from offset: Int, waits: Bool, descriptors: [Descriptor] = []
    ) throws(SocketError) -> Int {
        var sent = offset
        while sent < bytes.byteCount {
            let count = sendPart(bytes, from: sent, waits: waits, descriptors: sent == 0 ? descriptors : [])
            if !waits, count == -Int(EAGAIN) { return sent }
            guard count >= 0 else { throw SocketError(call: .send, errno: Int32(-count)) }
            sent += count
        }
        return sent
    }

    private func sendPart(_ bytes: RawSpan, from offset: Int, waits: Bool, descriptors: [Descriptor]) -> Int {
        // `descriptors` keeps the objects alive; the kernel takes its own reference during the call.
        let numbers = descriptors.map { $0.withNumber { $0 } }
        return descriptor.withNumber { socket in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe numbers.withUnsafeBufferPointer { numbers in
                    unsafe clinux_send(
                        socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                        numbers.baseAddress, Int32(numbers.count), waits ? 0 : Int32(MSG_DONTWAIT))
                }
            }
        }
    }

    /// Ends the connection for both sides and for every process that shares it. Waiting reads return.
    package func shutDown() {
        _ = descriptor.withNumber { socket in Glibc.shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
