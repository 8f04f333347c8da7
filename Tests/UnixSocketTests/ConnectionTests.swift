// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Redaction
import Testing
import UnixSocket

@Suite struct ConnectionTests {
    @Test func `a frame is received as it was sent`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        try left.write(Array("baton".utf8))
        #expect(try right.read().body == SecretBytes(copying: Array("baton".utf8)))
    }

    @Test func `an empty frame is accepted`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        try left.write([])
        #expect(try right.read().body.count == 0)
    }

    @Test func `descriptors arrive with their frame and refer to the same open file`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        let (inner, far) = try FrameConnection.pair(maximumFrame: 1024)
        try left.write([1], descriptors: [inner.descriptor])
        let frame = try right.read()
        let received = FrameConnection(try #require(frame.descriptors.first), maximumFrame: 1024)
        try received.write([42])
        #expect(try far.read().body == SecretBytes(copying: [42]))
    }

    @Test func `the part of a frame that does not fit into the socket is sent with the next frames`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1 << 20)
        let whole = try left.writeWithoutWaiting([1])
        #expect(whole == nil)
        let long = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let rest = try #require(try left.writeWithoutWaiting(long))
        let next = try left.unsent([2, 3])
        Thread {
            try? left.write(rest)
            try? left.write(next)
        }.start()
        for body in [[1], long, [2, 3]] { #expect(try right.read().body == SecretBytes(copying: body)) }
    }

    @Test func `writing without waiting fails for a frame over the limit and without a peer`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 16)
        let long = [UInt8](repeating: 0, count: 17)
        #expect(throws: SocketError(call: .send, errno: EMSGSIZE)) { try left.writeWithoutWaiting(long) }
        #expect(throws: SocketError(call: .send, errno: EMSGSIZE)) { try left.unsent(long) }
        right.shutDown()
        #expect(throws: SocketError(call: .send, errno: EPIPE)) { try left.writeWithoutWaiting([1]) }
    }

    @Test func `a frame over the limit is refused before its body is read`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        let narrow = FrameConnection(right.descriptor, maximumFrame: 16)
        try left.write([UInt8](repeating: 0, count: 17))
        #expect(throws: FrameConnection.ReadFailure.tooLarge(17)) { try narrow.read() }
        #expect(throws: SocketError(call: .send, errno: EMSGSIZE)) {
            try narrow.write([UInt8](repeating: 0, count: 17))
        }
    }

    @Test func `the peer's end is an end between frames, and a truncation inside a frame`() throws {
        var (left, right): (FrameConnection?, FrameConnection)
        (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        left?.shutDown()
        #expect(throws: FrameConnection.ReadFailure.ended) { try right.read() }
        (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        let half: [UInt8] = [0, 0, 0, 9, 1, 2]
        let sent = left?.descriptor.withNumber { number in unsafe Glibc.write(number, half, half.count) }
        #expect(sent == half.count)
        left = nil
        #expect(throws: FrameConnection.ReadFailure.truncated) { try right.read() }
    }

    @Test func `a frame that has begun must continue in time, and an unwanted one is not read`() throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        let half: [UInt8] = [0, 0, 0, 9, 1, 2]
        _ = left.descriptor.withNumber { number in unsafe Glibc.write(number, half, half.count) }
        #expect(throws: FrameConnection.ReadFailure.tooSlow) { try right.read(patience: .milliseconds(1)) }
        let (other, reader) = try FrameConnection.pair(maximumFrame: 1024)
        try other.write([UInt8](repeating: 7, count: 100))
        #expect(throws: FrameConnection.ReadFailure.notAdmitted(100)) { try reader.read { $0 < 100 } }
        let (whole, last) = try FrameConnection.pair(maximumFrame: 1024)
        try whole.write([1, 2, 3])
        #expect(try last.read(patience: .seconds(60)).body == SecretBytes(copying: [1, 2, 3]))
    }

    @Test func `a connection counts as ended once the peer has closed it and everything is read`() throws {
        var (left, right): (FrameConnection?, FrameConnection)
        (left, right) = try FrameConnection.pair(maximumFrame: 1024)
        #expect(!right.descriptor.isEnded)
        try left?.write([1])
        left = nil
        #expect(!right.descriptor.isEnded)
        _ = try right.read()
        // A process that another test starts at this moment may hold a copy of the closed end until its exec(3).
        #expect(throws: FrameConnection.ReadFailure.ended) { try right.read() }
        #expect(right.descriptor.isEnded)
    }

    @Test func `the kernel reports who connected`() throws {
        let (left, _) = try FrameConnection.pair(maximumFrame: 16)
        #expect(try left.descriptor.peer() == Peer(pid: getpid(), uid: getuid(), gid: getgid()))
    }

    @Test func `a shutdown wakes a reader on another thread`() async throws {
        let (left, right) = try FrameConnection.pair(maximumFrame: 16)
        async let failure = Task.detached { () -> FrameConnection.ReadFailure? in
            do throws(FrameConnection.ReadFailure) { _ = try right.read() } catch { return error }
            return nil
        }.value
        left.shutDown()
        #expect(await failure == .ended)
    }
}
