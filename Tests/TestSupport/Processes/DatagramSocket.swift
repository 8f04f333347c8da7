// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// A socket where programs under test leave word: that they are ready (sd_notify(3)), or what they saw.
package final class DatagramSocket: Sendable {
    package let path: String
    private let socket: Descriptor

    package init(path: String) throws {
        let number = unsafe clinux_bind_datagrams(path)
        guard number >= 0 else { throw TestProblem("datagram socket: error \(-number)") }
        self.path = path
        socket = Descriptor(owning: number)
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``TestProblem`` after 60 s.
    package func next() async throws -> String {
        try await blocking { [self] in
            guard let text = try receive(or: nil, seconds: 60) else { throw TestProblem("no message") }
            return text
        }
    }

    /// Waits until `READY=1` has come, or the process of `pidfd` has ended; blocks.
    ///
    /// - Returns: whether it is ready.
    func awaitReady(or pidfd: Descriptor, seconds: Int32) throws -> Bool {
        while let text = try receive(or: pidfd, seconds: seconds) {
            if text.split(separator: "\n").contains("READY=1") { return true }
        }
        return false
    }

    private func receive(or pidfd: Descriptor?, seconds: Int32) throws -> String? {
        var questions = [socket, pidfd].compactMap(\.self).map {
            pollfd(fd: $0.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
        }
        var count: Int32
        repeat {
            count = unsafe poll(&questions, nfds_t(questions.count), seconds * 1000)
        } while count < 0 && errno == EINTR
        guard count > 0 else { throw TestProblem("nothing came in \(seconds) s") }
        guard questions[0].revents != 0 else { return nil }
        var text = [UInt8](repeating: 0, count: 64 << 10)
        let received = socket.withNumber { unsafe recv($0, &text, text.count, 0) }
        guard received >= 0 else { throw TestProblem("recv: error \(errno)") }
        return String(decoding: text.prefix(received), as: UTF8.self)
    }
}
