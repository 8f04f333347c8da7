// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport

/// App 1 as a named reader of account changes, without state from earlier connections.
struct NamedReader {
    private let raw: RawApp
    private let live: LiveEnvironment
    private let clientID: String
    private let redirectURI: String
    private let name: String

    init(_ live: LiveEnvironment, _ name: String) async throws {
        guard let app = live.facts.apps.first(where: { $0.number == 1 }) else { throw TestProblem("no app 1") }
        (self.live, self.name, clientID, redirectURI) = (live, name, app.clientID, app.redirectURI)
        raw = try RawApp(live)
        try await raw.greet()
    }

    func accounts() async throws -> CurrentAccount { try CurrentAccount(try await ask(.currentAccount, client).get()) }

    func refusal() async throws -> BrokerError { try await raw.refusal(.currentAccount, client) }

    func acknowledge(_ account: CurrentAccount) async throws {
        var acknowledgement = Acknowledgement(
            client: ClientRequest(clientID: clientID), epoch: account.epoch,
            previousHomeAccountID: account.previousHomeAccountID
        ).entries
        acknowledgement[.reader] = name
        _ = try await ask(.acknowledgeAccount, acknowledgement).get()
    }

    func signOut(_ account: MSALAccount, correlation: UUID) async throws {
        let request = SignOutRequest(
            client: ClientRequest(clientID: clientID, correlationID: correlation.uuidString),
            homeAccountID: account.identifier ?? "", authority: live.facts.authority, redirectURI: redirectURI)
        _ = try await ask(.signOut, request.entries).get()
    }

    private var client: FlatMap {
        var map = ClientRequest(clientID: clientID).entries
        if !name.isEmpty { map[.reader] = name }
        return map
    }

    private func ask(
        _ operation: BrokerProtocol.Operation, _ parameters: FlatMap
    ) async throws -> Result<FlatMap, BrokerError> {
        try await raw.ask(operation, parameters)
    }
}
