// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings

/// Creates the headers that sign the current worker's browser in at the identity platform, for the addresses that the
/// profile lists.
struct BrowserHeaderSource: Sendable {
    let session: CurrentSession
    let network: SessionNetwork

    /// The rules for which addresses get headers, from the profile and the device's registration.
    func rule() throws(BrokerError) -> SignOnAddressRule {
        SignOnAddressRule(session.device.singleSignOn, platform: try session.join().loginURL)
    }

    /// Parses an address and returns it if headers may be made for it.
    ///
    /// - Throws: ``BrokerError`` with the reason.
    func listed(_ text: String) throws(BrokerError) -> SSOAddress {
        do { return try rule().listed(text) } catch let refusal as SignOnAddressRule.Refusal {
            throw refusal.brokerError
        } catch { throw BrokerError(reading: error) }
    }

    /// Returns the signed-in worker's session with the server.
    ///
    /// - Throws: ``BrokerError`` if nobody is signed in, if `homeAccountID` is another account, or if the worker signed
    ///   in offline.
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

    /// Creates the headers for one navigation, signed over a nonce that is valid for this navigation only.
    func headers(
        for address: SSOAddress, of worker: WorkerSession, _ wanted: SSOCookiesRequest.Headers
    ) async throws -> SSOHeaders {
        let source = try network.platformRequests(for: session.join())
        let nonce = if let nonce = address.nonce { nonce } else { try await source.server.nonce() }
        // The PRT may have been renewed meanwhile.
        guard let present = session.worker?.session, present.serverSession == worker.serverSession else {
            throw BrokerError(
                .interactionRequired,
                "The worker has signed out. Send the request again.", reason: .nobody)
        }
        return try await source.browserHeaders(of: present, over: nonce, wanted)
    }
}
