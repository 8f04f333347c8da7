// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import MSAL
import Testing

/// The ENUM, ACC and REM rules of docs/reference/msal-rules.md: which accounts exist, and their properties.
@Suite(.timeLimit(.minutes(10))) struct AccountRuleTests {
    private static func list(_ accounts: AccountRecord...) -> FlatMap { AccountsResponse(accounts: accounts).entries }

    /// Runs a blocking call on its own thread.
    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    @Test func `ENUM-1 an app gets the accounts that the broker has at this moment`() async throws {
        let broker = try ScriptedBroker.answering { _ in Self.list(TestValues.amara) }
        let application = try broker.application()
        let accounts = try await blocking { try application.allAccounts() }
        #expect(accounts.map(\.identifier) == [TestValues.amara.homeAccountID])
    }

    @Test func `ENUM-2 a worker who signed out through another app is listed nowhere`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { request in
            requests.all.count == 1 ? Self.list(TestValues.amara) : Self.list()
        }
        let application = try broker.application()
        #expect(try await blocking { try application.allAccounts() }.count == 1)
        let everybody = MSALAccountEnumerationParameters()
        everybody.returnOnlySignedInAccounts = false
        #expect(try await blocking { try application.allAccounts() }.isEmpty)
        #expect(try await application.accountsFromDevice(for: everybody).isEmpty)
        #expect(
            try await seen {
                try await blocking { try application.account(forIdentifier: TestValues.amara.homeAccountID) }
            }
            .asInternal == .internalErrorAccountRequired)
    }

    @Test func `ENUM-3 ENUM-6 if the broker cannot be asked the result is an error, not a list`() async throws {
        let broker = try ScriptedBroker.answering { _ in throw BrokerError(.internal, "Broken. Mend it.") }
        let application = try broker.application()
        #expect(
            try await seen { try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()) }
                .asInternal == .internalErrorUnexpected)
        #expect(
            try await seen { try await blocking { try application.allAccounts() } }.asInternal
                == .internalErrorUnexpected)
    }

    @Test func `ENUM-5 on a shared device there are no accounts other than the broker's`() async throws {
        let broker = try ScriptedBroker.answering { _ in Self.list(TestValues.bo) }
        let accounts = try await broker.application().accountsFromDevice(for: MSALAccountEnumerationParameters())
        #expect(accounts.map(\.username) == [TestValues.bo.username])
        #expect(accounts.first?.isSSOAccount == true)
    }

    @Test func `ENUM-7 ENUM-9 filters are combined and ignore case, and no match is an empty list`() async throws {
        let broker = try ScriptedBroker.answering { _ in Self.list(TestValues.amara, TestValues.bo) }
        let application = try broker.application()
        let (id, name) = (TestValues.bo.homeAccountID.uppercased(), TestValues.bo.username.uppercased())
        let filters: [(MSALAccountEnumerationParameters, Int)] = [
            (MSALAccountEnumerationParameters(identifier: " \(id) "), 1),
            (MSALAccountEnumerationParameters(identifier: nil, username: name), 1),
            (MSALAccountEnumerationParameters(identifier: TestValues.amara.homeAccountID, username: name), 0),
            (MSALAccountEnumerationParameters(tenantProfileIdentifier: TestValues.bo.localAccountID.uppercased()), 1),
            (MSALAccountEnumerationParameters(identifier: "nobody"), 0), (MSALAccountEnumerationParameters(), 2),
        ]
        for (filter, count) in filters {
            #expect(try await application.accountsFromDevice(for: filter).count == count)
        }
        #expect(
            try await blocking { try application.account(forUsername: name) }.identifier == TestValues.bo.homeAccountID)
    }

    @Test(arguments: [true, false])
    func `ENUM-8 the broker is told whether only signed-in accounts are wanted`(onlySignedIn: Bool) async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let parameters = MSALAccountEnumerationParameters()
        #expect(parameters.returnOnlySignedInAccounts)
        parameters.returnOnlySignedInAccounts = onlySignedIn
        _ = try await broker.application().accountsFromDevice(for: parameters)
        #expect(try requests.only().parameters.flag(.signedInAccountsOnly, default: true) == onlySignedIn)
    }

    @Test(arguments: ["", " "])
    func `ENUM-10 a blank name is refused without asking the broker`(name: String) async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let application = try broker.application()
        #expect(
            try await seen { try await blocking { try application.account(forUsername: name) } }.asInternal
                == .internalErrorInvalidParameter)
        #expect(requests.all.isEmpty)
    }

    @Test func `ACC-1 ACC-3 ACC-4 ACC-5 ACC-6 an account has its parts, its home profile and its claims`() async throws
    {
        let record = AccountRecord(
            homeAccountID: TestValues.amara.homeAccountID, localAccountID: TestValues.amara.localAccountID,
            realm: TestValues.tenant,
            environment: "login.baton.test", username: "amara@baton.test",
            idTokenClaims: .object(["name": .string("Amara"), "n": .integer(3)]))
        let broker = try ScriptedBroker.answering { _ in Self.list(record) }
        let accounts = try await broker.application().accountsFromDevice(for: MSALAccountEnumerationParameters())
        let account = try #require(accounts.first)
        #expect(account.homeAccountId?.objectId == TestValues.amara.localAccountID)
        #expect(account.homeAccountId?.tenantId == TestValues.tenant)
        #expect(account.environment == "login.baton.test")
        #expect(account.isSSOAccount)
        #expect(account.accountClaims?["name"] as? String == "Amara" && account.accountClaims?["n"] as? Int == 3)
        let profile = try #require(account.tenantProfiles?.first)
        #expect(profile.isHomeTenantProfile && profile.tenantId == TestValues.tenant)
        #expect(profile.claims?["name"] as? String == "Amara")
    }

    @Test func `ACC-3 ACC-4 an account that came with a token has no profiles`() async throws {
        let broker = try ScriptedBroker.answering { _ in TestValues.token(TestValues.amara) }
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["user.read"], webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
        let result = try await broker.application().acquireToken(with: parameters)
        #expect(result.account.tenantProfiles == nil)
    }

    @Test func `ACC-7 a copy of an account equals the account`() async throws {
        let account = try await account(TestValues.amara)
        let copy = try #require(account.copy() as? MSALAccount)
        #expect(copy == account && copy.isSSOAccount == account.isSSOAccount)
    }

    @Test func `REM-1 removing an account asks the broker, which then lists it for the device but not for the app`()
        async throws
    {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in
            let isRemoved = requests.all.contains { $0.operation == .removeAccount }
            return AccountsResponse(
                accounts: [TestValues.amara], removedHomeAccountID: isRemoved ? TestValues.amara.homeAccountID : nil
            ).entries
        }
        let application = try broker.application()
        let amara = try await account(TestValues.amara)
        #expect(try await blocking { try application.allAccounts() } == [amara])
        try await blocking { try application.remove(amara) }
        let request = try RemoveAccountRequest(
            try #require(requests.all.first { $0.operation == .removeAccount }).parameters)
        #expect(request.homeAccountID == TestValues.amara.homeAccountID && request.client.clientID == "client-1")
        #expect(try await blocking { try application.allAccounts() }.isEmpty)
        #expect(
            try await seen { try await blocking { try application.account(forIdentifier: amara.identifier ?? "") } }
                .asInternal == .internalErrorAccountRequired)
        #expect(try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()) == [amara])
    }

    @Test func `REM-2 if the broker refuses or does not answer, removing fails with an error`() async throws {
        let broker = try ScriptedBroker.answering { _ in throw BrokerError(.internal, "The disk is full.") }
        let application = try broker.application()
        let amara = try await account(TestValues.amara)
        let error = try await seen { try await blocking { try application.remove(amara) } }
        #expect(error.asInternal == .internalErrorUnexpected && error.text == "The disk is full.")
    }

    @Test func `REM-4 removing an account without an identifier or a name does nothing`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let application = try broker.application()
        try await blocking {
            try application.remove(MSALAccount(identifier: nil, username: nil, environment: "login.baton.test"))
        }
        #expect(requests.all.isEmpty)
    }
}
