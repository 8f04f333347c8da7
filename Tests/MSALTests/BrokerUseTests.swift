// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// The BRK, INIT-8 and INIT-12 rules of docs/reference/msal-rules.md: when the library asks the broker.
@Suite(.timeLimit(.minutes(10))) struct BrokerUseTests {
    @Test func `INIT-8 BRK-1 DEV-1 an app that bypasses the check of its redirect URI has no broker`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let application = try broker.application {
            $0.redirectUri = "anything"
            $0.bypassRedirectURIValidation = true
        }
        let amara = try await account(TestValues.amara)
        let silent = MSALSilentTokenParameters(scopes: ["user.read"], account: amara)
        let errors = [
            try await seen { try await application.deviceInformation(with: nil) },
            try await seen { try await application.currentAccount(with: nil) },
            try await seen { try await application.acquireTokenSilent(with: silent) },
            try await seen { try await application.signout(with: amara, signoutParameters: MSALSignoutParameters()) },
        ]
        for error in errors {
            #expect(error.asInternal == .internalBrokerNotAvailable)
            #expect(error.text.contains("bypassRedirectURIValidation"))
        }
        #expect(requests.all.isEmpty)
    }

    @Test func `BRK-2 listing the app's own authority as known switches nothing off`() async throws {
        let broker = try ScriptedBroker.answering()
        let application = try broker.application { $0.knownAuthorities = [$0.authority] }
        #expect(try await application.deviceInformation(with: nil).deviceMode == .shared)
    }

    @Test func `BRK-3 BRK-4 a broker that refuses counts as present, a missing one does not`() async throws {
        let refusing = try ScriptedBroker.answering { _ in throw BrokerError(.brokerUnavailable, "Personal.") }
        #expect(try refusing.application().isCompatibleAADBrokerAvailable)
        let absent = try ScriptedBroker(deadlines: .within(.milliseconds(50)))
        #expect(!(try absent.application().isCompatibleAADBrokerAvailable))
    }

    @Test(arguments: [(-51700, MSALError.userCanceled), (-51115, .interactionRequired)])
    func `BRK-5 a cancel and a required interaction have their own codes`(number: Int, code: MSALError) async throws {
        let broker = try ScriptedBroker.answering { _ in
            throw BrokerError(BrokerError.Code(rawValue: number), "Cause. Remedy.")
        }
        let application = try broker.application()
        #expect(try await seen { try await application.currentAccount(with: nil) }.code == code.rawValue)
    }

    @Test func `INIT-12 several applications with one client id see the same accounts`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in TestValues.current(TestValues.amara, previous: nil) }
        let (first, second) = (try broker.application(), try broker.application())
        let (current, other) = (
            try await first.currentAccount(with: nil).0, try await second.currentAccount(with: nil).0
        )
        #expect(current == other && current != nil)
        #expect(Set(requests.all.compactMap { $0.parameters[.clientID] }) == ["client-1"])
    }
}
