// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Tells the service manager how this process is doing (sd_notify(3)); where there is none (`NOTIFY_SOCKET` unset), nobody
/// hears and nothing fails.
package enum ServiceNotification {
    /// Says that the process serves.
    ///
    /// - Throws: ``SocketError`` when the manager's socket cannot be reached.
    package static func ready() throws(SocketError) { try tell("READY=1", patience: 10_000) }

    /// Gives the manager an open file to keep, which the next start of this service finds among its
    /// ``InheritedDescriptors`` (sd_pid_notify_with_fds(3)).
    ///
    /// The manager takes it when it likes, or not at all; whoever needs the file later must be able to do without. A manager
    /// that is behind holds nobody up.
    ///
    /// - Parameter name: at most 255 printable ASCII characters without a colon.
    /// - Throws: ``SocketError`` when the manager's socket cannot be reached, or has no room.
    package static func keep(_ descriptor: Descriptor, name: String) throws(SocketError) {
        try descriptor.withNumber { number throws(SocketError) in
            // Without polling: a memory file has no events, and one that cannot be polled would be refused for it.
            try tell("FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", number, patience: 0)
        }
    }

    /// Asks the manager to let go of what it keeps under this name.
    ///
    /// - Throws: ``SocketError`` when the manager's socket cannot be reached, or has no room.
    package static func release(name: String) throws(SocketError) {
        try tell("FDSTOREREMOVE=1\nFDNAME=\(name)", patience: 0)
    }

    private static func tell(_ message: String, _ file: Int32 = -1, patience: Int32) throws(SocketError) {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }) else { return }
        try send(message, file, to: path, patience: patience)
    }

    /// Sends one message to whoever reads at `path`.
    ///
    /// - Parameters:
    ///   - file: goes with it, unless it is negative.
    ///   - patience: milliseconds that a reader who is behind is waited for; with 0 not at all.
    /// - Throws: ``SocketError``, with `EAGAIN` where the reader has no room.
    package static func send(
        _ message: String, _ file: Int32 = -1, to path: String, patience: Int32
    ) throws(SocketError) {
        let outcome = unsafe clinux_notify(path, message, file, patience)
        guard outcome == 0 else { throw SocketError(call: .notify, errno: -outcome) }
    }
}
