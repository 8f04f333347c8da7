// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
package import UnixSocket

/// How to reach the broker, and whether this device is known to have one.
package struct BrokerLocation: Sendable {
    /// Names another socket than the system's; a process that has it set counts as managed.
    static let variable = "BATON_SOCKET"

    /// Connects to whoever listens.
    let connect: @Sendable () throws(SocketError) -> Connection
    /// Whether a listener is the broker.
    package let trusts: @Sendable (Peer) -> Bool
    /// Whether the device is known to be personal. "Could not look" is not "known".
    private let isKnownPersonal: @Sendable () -> Bool
    /// Whether the environment names the socket.
    private var isNamed = false

    /// A location for a process that knows that its device is managed (`marker` nil), or that asks the marker file.
    ///
    /// - Parameter trusted: which listeners are the broker; nil for root, this process's user, and the owner of the
    ///   socket's folder.
    package init(socket: String, marker: String?, trusted: (@Sendable (Peer) -> Bool)? = nil) {
        connect = { () throws(SocketError) in try Connection.connect(to: socket, maximumFrame: Wire.maximumFrame) }
        trusts = trusted ?? { peer in [0, geteuid(), Self.owner(ofFolderOf: socket)].contains(peer.uid) }
        // The marker is known to be absent.
        isKnownPersonal = {
            marker.map { unsafe access($0, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) } ?? false
        }
    }

    /// A broker in this process, for tests.
    package init(
        connect: @escaping @Sendable () throws(SocketError) -> Connection,
        isKnownPersonal: @escaping @Sendable () -> Bool
    ) {
        self.connect = connect
        trusts = { $0.uid == geteuid() }
        self.isKnownPersonal = isKnownPersonal
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

    /// What a failed connection attempt means here.
    func failure(_ error: SocketError) -> LinkFailure {
        let isAbsent = error.errno == ENOENT || error.errno == ENOTDIR
        if isAbsent, isKnownPersonal() { return .personalDevice }
        let hint = isAbsent && isNamed ? "; BATON_SOCKET is set and names no socket" : ""
        return .unreachable(reason: error.description + hint)
    }

    private static func owner(ofFolderOf socket: String) -> UInt32? {
        let folder = socket.lastIndex(of: "/").map { socket[..<$0] } ?? "."
        var status = stat()
        return unsafe stat(folder.isEmpty ? "/" : String(folder), &status) == 0 ? status.st_uid : nil
    }
}
