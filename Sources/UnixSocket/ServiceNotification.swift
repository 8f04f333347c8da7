// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Tells the service manager how this process is doing (sd_notify(3)).
package enum ServiceNotification {
    /// Says that the process serves; does nothing where nobody asked (`NOTIFY_SOCKET` unset).
    ///
    /// - Throws: ``SocketError`` when the manager's socket cannot be reached.
    package static func ready() throws(SocketError) {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }) else { return }
        let outcome = unsafe clinux_notify(path, "READY=1")
        guard outcome == 0 else { throw SocketError(call: .notify, errno: -outcome) }
    }
}
