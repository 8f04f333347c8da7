// SPDX-License-Identifier: Apache-2.0
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Files
internal import Glibc
internal import Synchronization

/// The session process's access to the servers. Its parts are created on first use, so that a waiting process stays
/// small.
final class SessionNetwork: Sendable {
    private struct State {
        var client: HTTPSClient?
        var source: (join: JoinRecord, source: PlatformRequests)?
    }

    private let configuration: SupervisorConfiguration
    private let keys: KeyStore
    private let state = Mutex(State())

    /// - Parameter keys: the device's own keys.
    init(configuration: SupervisorConfiguration, keys: KeyStore) {
        (self.configuration, self.keys) = (configuration, keys)
    }

    /// Tests whether a server can be reached over the network; if not, a worker may sign in offline.
    var reachability: Reachability { Reachability(resolve: configuration.resolve) }

    /// Returns the process's only HTTPS client.
    ///
    /// - Throws: ``HTTPSError`` if the trust roots cannot be read.
    func https() throws -> HTTPSClient {
        if let client = state.withLock(\.client) { return client }
        let made = try HTTPSClient(for: configuration)
        return state.withLock { state in
            // Another thread may have created a client meanwhile.
            if let client = state.client { return client }
            state.client = made
            return made
        }
    }

    /// Returns the token source of a joined device.
    ///
    /// - Throws: an error if the device's keys or the trust roots cannot be used.
    func platformRequests(for join: JoinRecord) throws -> PlatformRequests {
        if let known = state.withLock(\.source), known.join == join { return known.source }
        let made = try PlatformRequests(
            join: join, keys: DeviceKeys(in: keys), https: https(), now: { Int(Glibc.time(nil)) })
        return state.withLock { state in
            if let known = state.source, known.join == join { return known.source }
            state.source = (join, made)
            return made
        }
    }
}
