// SPDX-License-Identifier: Apache-2.0
internal import DeviceHTTPS
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Tests whether a server can be reached over the network at all.
///
/// Nothing is sent, and the server is not verified: if anything accepts the connection, the device counts as online. A
/// server error or an invalid certificate therefore does not make the device count as offline.
package struct Reachability: Sendable {
    /// Addresses, keyed by host name, for names that no resolver knows.
    private let resolve: [String: String]

    package init(resolve: [String: String]) { self.resolve = resolve }

    /// Seconds to wait for a connection.
    private static let patience: Int64 = 5

    /// Tries to connect.
    ///
    /// - Parameter url: `https://<host>[:<port>]`.
    /// - Returns: true if the connection was accepted. False if the host name cannot be resolved, the connection is
    ///   refused or blocked, the host cannot be reached, or nothing answers within five seconds.
    /// - Throws: ``HTTPSError`` if `url` is not an https URL, or the error of an attempt that failed for another
    ///   reason, such as too many open files.
    package func leads(to url: String) async throws -> Bool {
        guard let (host, port) = Self.address(in: url) else { throw HTTPSError(.invalidURL, "not an https URL") }
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(Self.patience))
                .connect(host: resolve[host] ?? host, port: port).get()
            channel.close(promise: nil)
            return true
        } catch {
            guard Self.saysNo(error) else { throw error }
            return false
        }
    }

    private static func address(in url: String) -> (host: String, port: Int)? {
        guard url.hasPrefix("https://") else { return nil }
        let authority = url.dropFirst("https://".count).prefix { $0 != "/" }
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
            return (String(authority), 443)
        }
        guard let port = Int(authority[authority.index(after: colon)...]), (1...65535).contains(port) else {
            return nil
        }
        return (String(authority[..<colon]), port)
    }

    /// Whether an error comes from the network, and not from this process (no descriptors, no memory).
    private static func saysNo(_ error: any Error) -> Bool {
        switch error {
        case ChannelError.connectTimeout: true
        case let error as IOError: networkErrors.contains(error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.allSatisfy { saysNo($0.error) }
        case is SocketAddressError: true
        default: false
        }
    }

    private static let networkErrors: Set<Int32> = [
        ECONNREFUSED, ECONNRESET, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES,
        EPERM,
    ]
}
