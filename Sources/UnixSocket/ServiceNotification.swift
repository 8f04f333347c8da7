// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Notifies the service manager of this process's state (sd_notify(3)). Without a service manager (`NOTIFY_SOCKET`
/// unset) the calls do nothing.
package enum ServiceNotification {
    /// Reports that the process is ready.
    ///
    /// - Throws: ``SocketError`` if the manager's socket cannot be reached.
    package static func ready() throws(SocketError) { try tell("READY=1", patience: 10_000) }

    /// Gives the manager an open file to keep. At its next start, this service finds the file among its
    /// ``InheritedDescriptors`` (sd_pid_notify_with_fds(3)).
    ///
    /// The manager may store the file late or not at all, so the next start must be able to do without the file. The
    /// call does not wait for a busy manager.
    ///
    /// - Parameter name: at most 255 printable ASCII characters without a colon.
    /// - Throws: ``SocketError`` if the manager's socket cannot be reached or is full.
    package static func keep(_ descriptor: Descriptor, name: String) throws(SocketError) {
        try descriptor.withNumber { number throws(SocketError) in
            // Disables polling: a memory file has no events, and systemd would refuse a file that cannot be polled.
            try tell("FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", number, patience: 0)
        }
    }

    /// Asks the manager to release what it stores under this name.
    ///
    /// - Throws: ``SocketError`` if the manager's socket cannot be reached or is full.
    package static func release(name: String) throws(SocketError) {
        try tell("FDSTOREREMOVE=1\nFDNAME=\(name)", patience: 0)
    }

    private static func tell(_ message: String, _ file: Int32 = -1, patience: Int32) throws(SocketError) {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }) else { return }
        try send(message, file, to: path, patience: patience)
    }

    /// Sends one message to the socket at `path`.
    ///
    /// - Parameters:
    ///   - file: a descriptor to attach, unless it is negative.
    ///   - patience: milliseconds to wait if the socket is full; 0 does not wait.
    /// - Throws: ``SocketError``, with `EAGAIN` if the socket is full.
    package static func send(
        _ message: String, _ file: Int32 = -1, to path: String, patience: Int32
    ) throws(SocketError) {
        let outcome = unsafe clinux_notify(path, message, file, patience)
        guard outcome == 0 else { throw SocketError(call: .notify, errno: -outcome) }
    }
}
