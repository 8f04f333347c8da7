// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
package import UnixSocket

/// Where the broker listens, and whether this device is known to have one.
package struct BrokerLocation: Sendable {
    /// Names another socket than the system's; a process that has it set counts as managed.
    static let variable = "BATON_SOCKET"

    let socket: String
    private let marker: String?
    /// Whether the environment names the socket.
    private var isNamed = false
    private let trusted: (@Sendable (Peer) -> Bool)?

    /// A location for a process that knows that its device is managed (`marker` nil), or that asks the marker file.
    ///
    /// - Parameter trusted: which listeners are the broker; nil for root, this process's user, and the owner of the
    ///   socket's folder.
    package init(socket: String, marker: String?, trusted: (@Sendable (Peer) -> Bool)? = nil) {
        self.socket = socket
        self.marker = marker
        self.trusted = trusted
    }

    /// The location that the environment names, or the system's.
    static func fromEnvironment() -> BrokerLocation {
        guard let socket = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !socket.isEmpty else {
            return BrokerLocation(socket: WellKnownPath.brokerSocket, marker: WellKnownPath.managedMarker)
        }
        return named(socket)
    }

    /// A socket that the environment names; its process counts as managed.
    package static func named(_ socket: String) -> BrokerLocation {
        var location = BrokerLocation(socket: socket, marker: nil)
        location.isNamed = true
        return location
    }

    /// Whether the device is known to be personal: the marker is known to be absent.
    ///
    /// "Could not look" is not "absent".
    private var isKnownPersonal: Bool {
        guard let marker else { return false }
        return unsafe access(marker, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// What a failed connection attempt means here.
    func failure(_ error: SocketError) -> LinkFailure {
        let isAbsent = error.errno == ENOENT || error.errno == ENOTDIR
        if isAbsent, isKnownPersonal { return .personalDevice }
        let hint = isAbsent && isNamed ? "; BATON_SOCKET is set and names no socket" : ""
        return .unreachable(reason: error.description + hint)
    }

    /// Whether a listener is root, this process's user, or the owner of the socket's folder.
    package func trusts(_ peer: Peer) -> Bool {
        trusted.map { $0(peer) } ?? [0, geteuid(), folderOwner].contains(peer.uid)
    }

    private var folderOwner: UInt32? {
        let folder = socket.lastIndex(of: "/").map { socket[..<$0] } ?? "."
        var status = stat()
        return unsafe stat(folder.isEmpty ? "/" : String(folder), &status) == 0 ? status.st_uid : nil
    }
}
