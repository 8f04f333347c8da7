// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol

/// Makes what signs a browser in at the identity platform, for an address of the profile and the worker who is signed in.
struct BrowserHeaderSource: Sendable {
    let session: CurrentSession
    let network: SessionNetwork

    /// What the profile and the join say of addresses.
    func policy() throws(BrokerError) -> SSOExtensionPolicy {
        SSOExtensionPolicy(session.device.singleSignOn, platform: try session.join().loginURL)
    }

    /// The address for which headers may be made.
    ///
    /// - Throws: ``BrokerError`` with the reason.
    func listed(_ text: String) throws(BrokerError) -> SSOAddress {
        do { return try policy().listed(text) } catch let refusal as SSOExtensionPolicy.Refusal {
            throw refusal.brokerError
        } catch { throw BrokerError(reading: error) }
    }

    /// The worker who is signed in, with the server.
    func worker(_ homeAccountID: String?) throws(BrokerError) -> WorkerSession {
        guard let worker = session.worker else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Open the address without a credential.",
                reason: .nobody)
        }
        guard homeAccountID.map({ $0.lowercased() == worker.account.homeAccountID }) ?? true else {
            throw BrokerError(
                .interactionRequired, "The account is not the one signed in on this device. Ask for the current one.",
                reason: .otherAccount)
        }
        guard let session = worker.session else { throw .signedInOffline }
        return session
    }

    /// Makes the headers for one navigation, over a nonce that is good for it alone.
    func headers(
        for address: SSOAddress, of worker: WorkerSession, _ wanted: SSOCookiesRequest.Headers
    ) async throws -> SSOHeaders {
        let source = try network.tokenSource(for: session.join())
        let nonce = if let nonce = address.nonce { nonce } else { try await source.server.nonce() }
        // The PRT may have been renewed meanwhile.
        guard let present = session.worker?.session, present.serverSession == worker.serverSession else {
            throw BrokerError(.interactionRequired, "The worker has left. Ask anew.", reason: .nobody)
        }
        return try await source.browserHeaders(of: present, over: nonce, wanted)
    }
}
