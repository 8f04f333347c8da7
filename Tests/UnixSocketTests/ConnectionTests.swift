// SPDX-License-Identifier: Apache-2.0
import Glibc
import Redaction
import Testing
import UnixSocket

@Suite struct ConnectionTests {
    @Test func `a frame arrives as it was sent`() throws {
        let (left, right) = try Connection.pair(maximumFrame: 1024)
        try left.write(Array("baton".utf8))
        #expect(try right.read().body == SecretBytes(copying: Array("baton".utf8)))
    }

    @Test func `an empty frame is a frame`() throws {
        let (left, right) = try Connection.pair(maximumFrame: 1024)
        try left.write([])
        #expect(try right.read().body.count == 0)
    }

    @Test func `descriptors travel with their frame and name the same open file`() throws {
        let (left, right) = try Connection.pair(maximumFrame: 1024)
        let (inner, far) = try Connection.pair(maximumFrame: 1024)
        try left.write([1], descriptors: [inner.descriptor])
        let frame = try right.read()
        let received = Connection(try #require(frame.descriptors.first), maximumFrame: 1024)
        try received.write([42])
        #expect(try far.read().body == SecretBytes(copying: [42]))
    }

    @Test func `a frame over the limit is refused before its body is read`() throws {
        let (left, right) = try Connection.pair(maximumFrame: 1024)
        let narrow = Connection(right.descriptor, maximumFrame: 16)
        try left.write([UInt8](repeating: 0, count: 17))
        #expect(throws: Connection.ReadFailure.tooLarge(17)) { try narrow.read() }
        #expect(throws: SocketError(call: .send, errno: EMSGSIZE)) {
            try narrow.write([UInt8](repeating: 0, count: 17))
        }
    }

    @Test func `the end of the peer is an end between frames and a truncation inside one`() throws {
        var (left, right): (Connection?, Connection)
        (left, right) = try Connection.pair(maximumFrame: 1024)
        left?.shutDown()
        #expect(throws: Connection.ReadFailure.ended) { try right.read() }
        (left, right) = try Connection.pair(maximumFrame: 1024)
        let half: [UInt8] = [0, 0, 0, 9, 1, 2]
        let sent = left?.descriptor.withNumber { number in unsafe Glibc.write(number, half, half.count) }
        #expect(sent == half.count)
        left = nil
        #expect(throws: Connection.ReadFailure.truncated) { try right.read() }
    }

    @Test func `the kernel says who connected`() throws {
        let (left, _) = try Connection.pair(maximumFrame: 16)
        #expect(try left.descriptor.peer() == Peer(pid: getpid(), uid: getuid(), gid: getgid()))
    }

    @Test func `shutting down wakes a reader on another thread`() async throws {
        let (left, right) = try Connection.pair(maximumFrame: 16)
        async let failure = Task.detached { () -> Connection.ReadFailure? in
            do throws(Connection.ReadFailure) { _ = try right.read() } catch { return error }
            return nil
        }.value
        left.shutDown()
        #expect(await failure == .ended)
    }
}
