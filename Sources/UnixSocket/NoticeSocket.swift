// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A socket on which started programs report that they are ready (sd_notify(3)) or what they observed.
///
/// It receives what ``ServiceNotification`` sends.
package final class NoticeSocket: Sendable {
    /// The value for the program's `NOTIFY_SOCKET`.
    package let path: String
    /// The socket, for a program that starts anew in its process.
    package let descriptor: Descriptor
    /// Identifies the file at `path`. If the program has been started again, its next socket may have replaced the
    /// file.
    private let file: FileIdentity?

    private static let maximumDescriptors = 8

    /// Binds a datagram socket at `path`.
    ///
    /// - Throws: ``SocketError``.
    package init(path: String) throws(SocketError) {
        _ = unsafe unlink(path)
        let number = unsafe clinux_bind_datagrams(path)
        guard number >= 0 else { throw SocketError(call: .notify, errno: -number) }
        self.path = path
        descriptor = Descriptor(owning: number)
        file = FileIdentity(path)
    }

    /// A socket that this process's former start has bound at `path`.
    package init(_ descriptor: Descriptor, at path: String) {
        (self.descriptor, self.path) = (descriptor, path)
        file = FileIdentity(path)
    }

    deinit {
        // No other file can have this identity while the socket is open.
        if file != nil, FileIdentity(path) == file { _ = unsafe unlink(path) }
    }

    private struct FileIdentity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// Returns nil if there is no file.
        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    /// Blocks until the program sends `READY=1` or has ended.
    ///
    /// - Returns: true if the program is ready, false if it has ended.
    /// - Throws: ``SocketError`` with `ETIMEDOUT` after `seconds`.
    package func awaitReady(or pidfd: Descriptor, seconds: Int32) throws(SocketError) -> Bool {
        while let notice = try notice(or: pidfd, seconds: seconds) {
            if notice.saysReady { return true }
        }
        return false
    }

    /// Discards every message until the process of `pidfd` ends, so that the program never finds a full socket. Blocks.
    package func ignore(until pidfd: Descriptor) {
        while true {
            do throws(SocketError) { guard try notice(or: pidfd, seconds: 3600) != nil else { return } } catch {
                guard error.errno == ETIMEDOUT else { return }
            }
        }
    }

    /// Blocks until the next message arrives.
    ///
    /// - Throws: ``SocketError`` with `ETIMEDOUT` after `seconds`.
    package func next(seconds: Int32) throws(SocketError) -> String {
        try notice(or: nil, seconds: seconds)?.text ?? ""
    }

    /// One message with the open files attached to it.
    package struct Notice: Sendable {
        package let text: String
        package let descriptors: [Descriptor]

        package var saysReady: Bool { lines.contains("READY=1") }
        /// The lines, each `KEY=value`.
        package var lines: [Substring] { text.split(separator: "\n") }
    }

    /// Blocks until the next message arrives.
    ///
    /// - Returns: nil if the process of `pidfd` ended without a message.
    /// - Throws: ``SocketError`` with `ETIMEDOUT` after `seconds`.
    package func notice(or pidfd: Descriptor?, seconds: Int32) throws(SocketError) -> Notice? {
        var questions = [descriptor, pidfd].compactMap(\.self).map {
            pollfd(fd: $0.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
        }
        var count: Int32
        repeat {
            count = unsafe poll(&questions, nfds_t(questions.count), seconds * 1000)
        } while count < 0 && errno == EINTR
        guard count > 0 else { throw SocketError(call: .poll, errno: count == 0 ? ETIMEDOUT : errno) }
        guard questions[0].revents != 0 else { return nil }
        var text = [UInt8](repeating: 0, count: 64 << 10)
        var numbers = [Int32](repeating: -1, count: Self.maximumDescriptors)
        var arrived: Int32 = 0
        let received = descriptor.withNumber { number in
            unsafe clinux_receive(number, &text, text.count, &numbers, Int32(numbers.count), &arrived, 0)
        }
        guard received >= 0 else { throw SocketError(call: .receive, errno: Int32(-received)) }
        return Notice(
            text: String(decoding: text.prefix(received), as: UTF8.self),
            descriptors: numbers.prefix(Int(arrived)).map(Descriptor.init(owning:)))
    }
}
