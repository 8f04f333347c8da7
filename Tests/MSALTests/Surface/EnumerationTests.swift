// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// Rules ENUM: which accounts are listed, and what the blocking forms return.
@Suite(.timeLimit(.minutes(10))) struct EnumerationTests {
    private let filters: [(MSALAccountEnumerationParameters, Int)] = [
        (MSALAccountEnumerationParameters(), 2),
        (MSALAccountEnumerationParameters(identifier: " \(TestValues.amara.homeAccountID.uppercased()) "), 1),
        (MSALAccountEnumerationParameters(identifier: nil, username: "AMARA@baton.test"), 1),
        (MSALAccountEnumerationParameters(identifier: TestValues.bo.homeAccountID, username: "amara@baton.test"), 0),
        (MSALAccountEnumerationParameters(tenantProfileIdentifier: TestValues.bo.localAccountID.uppercased()), 1),
        (MSALAccountEnumerationParameters(identifier: "nobody"), 0),
    ]

    @Test func `ENUM-7 every condition applies, case is ignored, and no match is an empty list`() async throws {
        let broker = try Answers.broker(listing: [TestValues.amara, TestValues.bo])
        let application = try broker.application()
        for (parameters, count) in filters {
            #expect(try await application.accountsFromDevice(for: parameters).count == count)
            #expect(try application.accounts(for: parameters).count == count)
        }
    }

    @Test func `ENUM-1 ENUM-2 the blocking forms also list what the broker lists`() throws {
        let broker = try Answers.broker(listing: [TestValues.amara])
        let application = try broker.application()
        #expect(try application.allAccounts().map(\.username) == ["amara@baton.test"])
        #expect(try application.account(forIdentifier: TestValues.amara.homeAccountID).username == "amara@baton.test")
        #expect(try application.account(forUsername: "Amara@Baton.test").identifier == TestValues.amara.homeAccountID)
    }

    @Test func `ENUM-9 an account that is not signed in is an error with a code, not a crash`() async throws {
        let broker = try Answers.broker(listing: [])
        let application = try broker.application()
        let byIdentifier = try await seen { try application.account(forIdentifier: TestValues.amara.homeAccountID) }
        let byName = try await seen { try application.account(forUsername: "amara@baton.test") }
        for error in [byIdentifier, byName] {
            #expect(error.asInternal == .internalErrorAccountRequired)
            #expect(!error.text.contains("amara"))
        }
        #expect(try application.allAccounts().isEmpty)
    }

    @Test(arguments: ["", " ", "\n"]) func `ENUM-10 a blank name is refused with the public error domain`(name: String)
        async throws
    {
        let application = try ScriptedBroker().application()
        let byName = try await seen { try application.account(forUsername: name) }
        let byIdentifier = try await seen { try application.account(forIdentifier: name) }
        #expect(byName.asInternal == .internalErrorInvalidParameter)
        #expect(byIdentifier.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `ENUM-6 if the broker cannot be asked the result is an error, not a list`() async throws {
        let broker = try ScriptedBroker(deadlines: .within(.milliseconds(50)))
        let application = try broker.application()
        let waiting = try await seen { try application.allAccounts() }
        let later = try await seen { try await application.accountsFromDevice(for: .init()) }
        #expect(waiting.asInternal == .internalBrokerNotAvailable)
        #expect(later.asInternal == .internalBrokerNotAvailable)
    }

    @Test func `BRK-4 a broker counts as available if it answers`() async throws {
        let isThere = try await Answers.broker(listing: []).serving { $0.isCompatibleAADBrokerAvailable }
        let silent = try ScriptedBroker(deadlines: .within(.milliseconds(50)))
        let isSilentThere = try await silent.serving { $0.isCompatibleAADBrokerAvailable }
        #expect(isThere && !isSilentThere)
    }
}
