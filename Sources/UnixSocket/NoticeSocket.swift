// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Where programs that somebody started leave word: that they serve (sd_notify(3)), or what they saw.
///
/// The other end of ``ServiceNotification``.
package final class NoticeSocket: Sendable {
    /// What to give the program as `NOTIFY_SOCKET`.
    package let path: String
    private let socket: Descriptor

    /// Binds a datagram socket at `path`.
    ///
    /// - Throws: ``SocketError``.
    package init(path: String) throws(SocketError) {
        _ = unsafe unlink(path)
        let number = unsafe clinux_bind_datagrams(path)
        guard number >= 0 else { throw SocketError(call: .notify, errno: -number) }
        self.path = path
        socket = Descriptor(owning: number)
    }

    deinit { _ = unsafe unlink(path) }

    /// Blocks until the program says `READY=1`, or its pidfd says that it has ended.
    ///
    /// - Returns: whether it is ready.
    /// - Throws: ``SocketError`` with `ETIMEDOUT` after `seconds`.
    package func awaitReady(or pidfd: Descriptor, seconds: Int32) throws(SocketError) -> Bool {
        while let text = try receive(or: pidfd, seconds: seconds) {
            if text.split(separator: "\n").contains("READY=1") { return true }
        }
        return false
    }

    /// Blocks until the next message is there.
    ///
    /// - Throws: ``SocketError`` with `ETIMEDOUT` after `seconds`.
    package func next(seconds: Int32) throws(SocketError) -> String {
        try receive(or: nil, seconds: seconds) ?? ""
    }

    /// The next message; nil where the process of `pidfd` ended without one.
    private func receive(or pidfd: Descriptor?, seconds: Int32) throws(SocketError) -> String? {
        var questions = [socket, pidfd].compactMap(\.self).map {
            pollfd(fd: $0.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
        }
        var count: Int32
        repeat {
            count = unsafe poll(&questions, nfds_t(questions.count), seconds * 1000)
        } while count < 0 && errno == EINTR
        guard count > 0 else { throw SocketError(call: .poll, errno: count == 0 ? ETIMEDOUT : errno) }
        guard questions[0].revents != 0 else { return nil }
        var text = [UInt8](repeating: 0, count: 64 << 10)
        let received = socket.withNumber { unsafe recv($0, &text, text.count, 0) }
        guard received >= 0 else { throw SocketError(call: .receive, errno: errno) }
        return String(decoding: text.prefix(received), as: UTF8.self)
    }
}
