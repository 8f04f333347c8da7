// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// An app as the broker knows it: a checked, unchanging copy of its configuration (INIT-7).
struct Client: Sendable {
    let id: String
    let redirectURI: String
    let authority: MSALAuthority
    let broker: BrokerConnection

    init(_ configuration: MSALPublicClientApplicationConfig, broker: BrokerConnection) throws(Fault) {
        guard !configuration.clientId.allSatisfy(\.isWhitespace) else {
            throw Fault(.internalErrorInvalidParameter, "The clientId is blank. Pass the registered one.")
        }
        id = configuration.clientId
        redirectURI = try RedirectURI(configuration.redirectUri).text
        authority = configuration.authority
        self.broker = broker
    }

    /// What every request says of this app.
    func request(_ correlation: UUID) -> ClientRequest {
        ClientRequest(clientID: id, correlationID: correlation.uuidString)
    }
}
