// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file descriptor that closes itself when its last owner lets go.
///
/// Numbers of closed descriptors are reused by the kernel, so the number is only lent out, never given away.
package final class Descriptor: Sendable {
    private let number: Int32

    /// Takes over `number`; nobody else may close it.
    package init(owning number: Int32) { self.number = number }

    deinit { _ = Glibc.close(number) }

    /// Lends the number for the length of the call.
    package func withNumber<R, E: Error>(_ body: (Int32) throws(E) -> R) throws(E) -> R {
        // The object must not die while the number is in use.
        defer { withExtendedLifetime(self) {} }
        return try body(number)
    }

    /// The same open file under another number.
    ///
    /// - Throws: ``SocketError`` when the process has no number left.
    package func duplicate() throws(SocketError) -> Descriptor {
        let copy = withNumber { number in fcntl(number, F_DUPFD_CLOEXEC, 0) }
        guard copy >= 0 else { throw SocketError(call: .duplicate, errno: errno) }
        return Descriptor(owning: copy)
    }

    /// Whether the peer of a connected socket has closed it and left nothing to read; never blocks.
    package var isEnded: Bool {
        withNumber { number in
            var byte: UInt8 = 0
            return unsafe recv(number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
        }
    }

    /// Whether something, or the end, is there to be read within so many milliseconds; blocks that long at most.
    package func isReadable(within milliseconds: Int32) -> Bool {
        withNumber { number in
            var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&question, 1, milliseconds) > 0
        }
    }
}
