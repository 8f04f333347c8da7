// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// An app as the broker knows it: a checked, unchanging copy of its configuration (INIT-7).
struct Client: Sendable {
    let id: String
    let redirectURI: String
    let authority: MSALAuthority
    /// What the app says that it can do, such as `cp1`.
    let capabilities: [String]
    /// Whether the app may use the broker: not where it passes by the checks of its redirect URI (INIT-8).
    private let mayUseBroker: Bool
    let broker: BrokerConnection

    init(_ configuration: MSALPublicClientApplicationConfig) throws(Fault) {
        guard !configuration.clientId.allSatisfy(\.isWhitespace) else { throw Fault(.clientIDBlank) }
        id = configuration.clientId
        mayUseBroker = !configuration.bypassRedirectURIValidation
        redirectURI =
            mayUseBroker ? try RedirectURI(configuration.redirectUri).text : configuration.redirectUri ?? ""
        authority = configuration.authority
        capabilities = configuration.clientApplicationCapabilities ?? []
        broker = configuration.broker ?? .current
    }

    /// What every request says of this app.
    func request(_ correlation: UUID) -> ClientRequest {
        ClientRequest(clientID: id, correlationID: correlation.uuidString)
    }

    /// Asks the broker, where the app lets it take part at this moment (BRK-1); known authorities make no difference
    /// (BRK-2).
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
