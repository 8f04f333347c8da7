// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Synchronization

/// The session process's way to the servers; the client is made when it is first needed, so that a process that only
/// waits stays small.
final class Network: Sendable {
    private let configuration: SupervisorConfiguration
    private let client = Mutex<HTTPSClient?>(nil)

    init(configuration: SupervisorConfiguration) { self.configuration = configuration }

    /// Whether there is a way to a server, for who signs in offline where there is none.
    var reachability: Reachability { Reachability(resolve: configuration.resolve) }

    /// The one client of this process.
    ///
    /// - Throws: ``HTTPSError`` where the trust roots cannot be read.
    func https() throws -> HTTPSClient {
        try client.withLock { client in
            if let client { return client }
            guard let roots = try AtomicFile(path: configuration.trustRoots).read() else {
                throw HTTPSError(.invalidConfiguration, "the file of trust roots is missing")
            }
            let made = try HTTPSClient(
                configuration: .init(trustRootsPEM: roots, dnsOverride: configuration.resolve))
            client = made
            return made
        }
    }
}
