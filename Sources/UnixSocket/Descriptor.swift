// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file descriptor that is closed when the last reference is released.
///
/// The kernel reuses the numbers of closed descriptors, so the number is accessible only during a call of
/// ``withNumber(_:)``.
package final class Descriptor: Sendable {
    private let number: Int32

    /// Takes ownership of `number`; no other code may close it.
    package init(owning number: Int32) { self.number = number }

    deinit { _ = Glibc.close(number) }

    /// Gives access to the number during the call.
    package func withNumber<R, E: Error>(_ body: (Int32) throws(E) -> R) throws(E) -> R {
        // The object must live while the number is in use.
        defer { withExtendedLifetime(self) {} }
        return try body(number)
    }

    /// Returns a new descriptor for the same open file.
    ///
    /// - Throws: ``SocketError`` if the process has no descriptor left.
    package func duplicate() throws(SocketError) -> Descriptor {
        let copy = withNumber { number in fcntl(number, F_DUPFD_CLOEXEC, 0) }
        guard copy >= 0 else { throw SocketError(call: .duplicate, errno: errno) }
        return Descriptor(owning: copy)
    }

    /// Whether the peer of a connected socket has closed the connection and no data is left to read; never blocks.
    package var isEnded: Bool {
        withNumber { number in
            var byte: UInt8 = 0
            return unsafe recv(number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
        }
    }

    /// Whether data or the end of the stream can be read within `milliseconds`; blocks at most that long.
    package func isReadable(within milliseconds: Int32) -> Bool {
        withNumber { number in
            var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&question, 1, milliseconds) > 0
        }
    }

    /// Waits until data or the end of the stream can be read, or until `other` can be read.
    ///
    /// - Returns: whether `other` can be read.
    package func awaitReadable(unless other: Descriptor) -> Bool {
        withNumber { number in
            other.withNumber { stop in
                var questions = [number, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                while unsafe poll(&questions, 2, -1) < 0 && errno == EINTR {}
                return questions[1].revents != 0
            }
        }
    }
}
