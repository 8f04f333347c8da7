// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import Files
internal import Glibc
internal import Synchronization

/// The session process's way to the servers; what it needs is made when it is first needed, so that a process that only
/// waits stays small.
final class SessionNetwork: Sendable {
    private struct State {
        var client: HTTPSClient?
        var source: (join: JoinRecord, source: TokenSource)?
    }

    private let configuration: SupervisorConfiguration
    private let keys: KeyStore
    private let state = Mutex(State())

    /// - Parameter keys: the device's own.
    init(configuration: SupervisorConfiguration, keys: KeyStore) {
        (self.configuration, self.keys) = (configuration, keys)
    }

    /// Tests whether the network leads to a server; if not, a worker may sign in offline.
    var reachability: Reachability { Reachability(resolve: configuration.resolve) }

    /// The one client of this process.
    ///
    /// - Throws: ``HTTPSError`` where the trust roots cannot be read.
    func https() throws -> HTTPSClient {
        if let client = state.withLock(\.client) { return client }
        let made = try HTTPSClient(for: configuration)
        return state.withLock { state in
            // Somebody may have made one meanwhile.
            if let client = state.client { return client }
            state.client = made
            return made
        }
    }

    /// What the identity platform gives to a device that has joined.
    ///
    /// - Throws: what keeps the device's keys or trust roots from being used.
    func tokenSource(for join: JoinRecord) throws -> TokenSource {
        if let known = state.withLock(\.source), known.join == join { return known.source }
        let made = try TokenSource(
            join: join, keys: DeviceKeys(in: keys), https: https(), now: { Int(Glibc.time(nil)) })
        return state.withLock { state in
            if let known = state.source, known.join == join { return known.source }
            state.source = (join, made)
            return made
        }
    }
}
