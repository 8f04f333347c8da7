// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
package import UnixSocket

/// Where the broker's socket is, and whether the device is known to be personal.
package struct BrokerLocation: Sendable {
    /// The environment variable that names a socket other than the system's. If it is set, the device counts as
    /// managed.
    static let variable = "BATON_SOCKET"

    /// Connects to the process that listens on the socket.
    let connect: @Sendable () throws(SocketError) -> FrameConnection
    /// Whether a listening process is trusted as the broker.
    package let trusts: @Sendable (Peer) -> Bool
    /// Whether the device is known to be personal. If the check fails, the answer is false.
    private let isKnownPersonal: @Sendable () -> Bool
    /// Whether the environment names the socket.
    private var isNamed = false

    /// Makes the location of a socket.
    ///
    /// - Parameters:
    ///   - marker: the file that marks the device as managed. If neither the socket nor this file exists, the device is
    ///     personal; if nil, the device always counts as managed.
    ///   - trusted: decides which listeners are trusted; nil trusts root, this process's user, and the owner of the
    ///     socket's folder.
    package init(socket: String, marker: String?, trusted: (@Sendable (Peer) -> Bool)? = nil) {
        connect = { () throws(SocketError) in try FrameConnection.connect(to: socket, maximumFrame: Wire.maximumFrame) }
        trusts = trusted ?? { peer in [0, geteuid(), Self.owner(ofFolderOf: socket)].contains(peer.uid) }
        // The device is personal only if the marker is definitely absent.
        isKnownPersonal = {
            marker.map { unsafe access($0, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) } ?? false
        }
    }

    /// Makes a location for a broker inside this process, for tests.
    package init(
        connect: @escaping @Sendable () throws(SocketError) -> FrameConnection,
        isKnownPersonal: @escaping @Sendable () -> Bool
    ) {
        self.connect = connect
        trusts = { $0.uid == geteuid() }
        self.isKnownPersonal = isKnownPersonal
    }

    /// Returns the location that the environment names, or the system's location if the environment names none.
    static func fromEnvironment() -> BrokerLocation {
        guard let socket = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !socket.isEmpty else {
            return BrokerLocation(socket: WellKnownPath.brokerSocket, marker: WellKnownPath.managedMarker)
        }
        return named(socket)
    }

    /// Returns the location of a socket that the environment names. The device counts as managed.
    package static func named(_ socket: String) -> BrokerLocation {
        var location = BrokerLocation(socket: socket, marker: nil)
        location.isNamed = true
        return location
    }

    /// Converts the error of a failed connection attempt.
    func failure(_ error: SocketError) -> LinkFailure {
        let isAbsent = error.errno == ENOENT || error.errno == ENOTDIR
        if isAbsent, isKnownPersonal() { return .personalDevice }
        let hint = isAbsent && isNamed ? "; BATON_SOCKET is set, but there is no socket at that path" : ""
        return .unreachable(reason: error.description + hint)
    }

    private static func owner(ofFolderOf socket: String) -> UInt32? {
        let folder = socket.lastIndex(of: "/").map { socket[..<$0] } ?? "."
        var status = stat()
        return unsafe stat(folder.isEmpty ? "/" : String(folder), &status) == 0 ? status.st_uid : nil
    }
}
