// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Synchronization

extension AccountDesk {
    /// Gets a token of the device itself, whether somebody is signed in or not.
    func deviceToken(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let wanted = try BrokerProtocol::DeviceTokenRequest(request.parameters)
        let registered = try self.app(wanted.client, app)
        guard registered.redirectURIs.contains(wanted.redirectURI) else {
            throw BrokerError(
                .invalidRedirectURI, "The redirect URI is not the registered one. Use msauth.<bundle id>://auth.")
        }
        Task { [self] in answerLater(request, await fetch(wanted, for: request), app) }
    }

    private func fetch(
        _ wanted: BrokerProtocol::DeviceTokenRequest, for request: Request
    ) async -> Result<FlatMap, BrokerError> {
        do {
            let token = try await tokenSource().deviceToken(for: wanted)
            let info = try state.withLock { $0.device }.info()
            return .success(
                .response(to: request.operation, type: .deviceToken, device: info, entries: token.entries))
        } catch {
            return .failure(BrokerError(reading: error))
        }
    }
}
