// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing
import UnixSocket

@Suite struct ListenerTests {
    private func withListener(_ body: (Listener) throws -> Void) throws {
        let path = "/tmp/baton-listener-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = unsafe unlink(path) }
        try body(try Listener(path: path, mode: 0o600))
    }

    /// Closes the listener while a thread waits in `accept()`, and returns the error that ends the wait.
    private func endOfAccept(on listener: Listener) throws -> SocketError? {
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        nonisolated(unsafe) var error: SocketError?
        Thread {
            began.signal()
            do throws(SocketError) { _ = try listener.accept() } catch let failure { unsafe error = failure }
            ended.signal()
        }.start()
        began.wait()
        listener.close()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        return unsafe error
    }

    @Test func `a socket that is closed ends a waiting accept, and refuses clients`() throws {
        try withListener { listener in
            let error = try endOfAccept(on: listener)
            #expect(error == SocketError(call: .accept, errno: EINVAL))
            #expect(throws: SocketError(call: .connect, errno: ECONNREFUSED)) {
                try FrameConnection.connect(to: listener.path, maximumFrame: 16)
            }
        }
    }

    @Test func `an inherited socket that is closed ends a waiting accept, and clients wait for the next one`() throws {
        try withListener { manager in
            let former = try Listener(inherited: manager.descriptor.duplicate())
            let error = try endOfAccept(on: former)
            #expect(error == SocketError(call: .accept, errno: EINVAL))
            let client = try FrameConnection.connect(to: manager.path, maximumFrame: 16)
            #expect(throws: SocketError(call: .accept, errno: EINVAL)) { try former.accept() }
            let next = try Listener(inherited: manager.descriptor.duplicate())
            try client.write([7])
            _ = try FrameConnection(next.accept(), maximumFrame: 16).read()
        }
    }
}
