// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// A client application: a checked, immutable copy of its configuration (INIT-7).
struct ClientConfiguration: Sendable {
    let id: String
    let redirectURI: String
    let authority: MSALAuthority
    /// The capabilities that the app declares, such as `cp1`.
    let capabilities: [String]
    /// Whether the app may use the broker. An app that bypasses the validation of its redirect URI may not use the
    /// broker (INIT-8).
    let mayUseBroker: Bool
    let broker: BrokerConnection
    /// The authorities of accounts' home tenants. They are used if the app's authority names no tenant (SIL-4).
    let homeAuthorities: HomeAuthorities
    /// The account that the application object has shown its app.
    let seen: SeenAccount

    init(_ configuration: MSALPublicClientApplicationConfig) throws(Fault) {
        guard !configuration.clientId.allSatisfy(\.isWhitespace) else { throw Fault(.clientIDBlank) }
        id = configuration.clientId
        mayUseBroker = !configuration.bypassRedirectURIValidation
        redirectURI =
            mayUseBroker ? try BrokerRedirectURI(configuration.redirectUri).text : configuration.redirectUri ?? ""
        authority = configuration.authority
        capabilities = configuration.clientApplicationCapabilities ?? []
        broker = configuration.broker ?? .current
        homeAuthorities = HomeAuthorities(authority.url)
        seen = SeenAccount()
    }

    /// Returns the values that every request of this app contains.
    func request(_ correlation: UUID) -> ClientRequest {
        ClientRequest(clientID: id, correlationID: correlation.text)
    }

    /// Sends a request to the broker, or fails if brokered calls are switched off at this moment (BRK-1). The app's
    /// known authorities have no effect (BRK-2).
    func ask(
        _ operation: BrokerProtocol.Operation, _ parameters: FlatMap, isSilent: Bool = true,
        within patience: Duration? = nil,
        complete: @escaping Call.Completion
    ) {
        guard mayUseBroker, MSALGlobalConfig.brokerAvailability == .auto else {
            return complete(.failure(.switchedOff))
        }
        broker.ask(operation, parameters, isSilent: isSilent, within: patience, complete: complete)
    }
}
