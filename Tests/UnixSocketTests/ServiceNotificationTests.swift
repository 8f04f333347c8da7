// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import UnixSocket

@Suite struct ServiceNotificationTests {
    private func withReader(_ body: (NoticeSocket) throws -> Void) throws {
        let path = "/tmp/baton-notice-\(UInt64.random(in: 0...UInt64.max))"
        try body(try NoticeSocket(path: path))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a sent notification is received`() throws {
        try withReader { reader in
            try ServiceNotification.send("READY=1", to: reader.path, patience: 1000)
            #expect(try reader.next(seconds: 30) == "READY=1")
        }
    }

    @Test(arguments: [0, 50] as [Int32]) func `a manager that reads nothing delays nobody`(patience: Int32) throws {
        try withReader { reader in
            // More messages than any kernel keeps for a reader. A `send` that waited forever would block the loop.
            let failure = (0..<100_000).lazy.compactMap { _ in
                do throws(SocketError) {
                    try ServiceNotification.send("FDSTOREREMOVE=1", to: reader.path, patience: patience)
                    return nil as SocketError?
                } catch { return error }
            }.first
            #expect(failure?.errno == EAGAIN)
        }
    }

    @Test func `releasing a former socket does not remove its successor`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/baton-\(UUID().uuidString).ready"
        var former: NoticeSocket? = try NoticeSocket(path: path)
        let next = try NoticeSocket(path: path)
        withExtendedLifetime(former) {}
        former = nil
        #expect(FileManager.default.fileExists(atPath: path))
        withExtendedLifetime(next) {}
    }
}
