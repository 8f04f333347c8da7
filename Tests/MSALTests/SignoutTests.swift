// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// The OUT rules of docs/reference/msal-rules.md.
@Suite(.timeLimit(.minutes(10))) struct SignoutTests {
    @Test(arguments: [true, false])
    func `OUT-8 OUT-16 the broker is told whether to sign out of the browser, too`(fromBrowser: Bool) async throws {
        let asked = Mutex<Request?>(nil)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            asked.withLock { $0 = request }
            try end.answer(request)
            end.waitForEnd()
        }
        let parameters = MSALSignoutParameters(
            webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
        parameters.signoutFromBrowser = fromBrowser
        let isDone = try await broker.application().signout(
            with: try await account(TestValues.amara), signoutParameters: parameters)
        #expect(isDone)
        let request = try #require(asked.withLock { $0 })
        #expect(request.operation == .signOut)
        #expect(request.isSilent)
        let signOut = try SignOutRequest(request.parameters)
        #expect(signOut.homeAccountID == TestValues.amara.homeAccountID)
        #expect(signOut.signoutFromBrowser == fromBrowser)
        #expect(signOut.redirectURI == "msauth.org.example.worker://auth")
    }

    @Test func `OUT-6 OUT-7 OUT-11 the flags and parameters of a sign-out reach the broker`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let parameters = MSALSignoutParameters()
        parameters.wipeAccount = true
        parameters.wipeCacheForAllAccounts = true
        parameters.extraQueryParameters = ["a": "b"]
        _ = try await broker.application().signout(
            with: try await account(TestValues.amara), signoutParameters: parameters)
        let signOut = try SignOutRequest(requests.only().parameters)
        #expect(signOut.wipeAccount && signOut.wipeCacheForAllAccounts && !signOut.signoutFromBrowser)
        #expect(signOut.extraQueryParameters == ["a": "b"])
        #expect(signOut.client.correlationID != nil)
    }

    @Test func `OUT-9 an error of the broker is an error of the call`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.reply(try end.request(), .failure(BrokerError(.mismatchedAccount, "Another worker is signed in.")))
            end.waitForEnd()
        }
        let application = try broker.application()
        let amara = try await account(TestValues.amara)
        let (isDone, error) = await withCheckedContinuation { continuation in
            let parameters = MSALSignoutParameters()
            parameters.completionBlockQueue = .global()
            application.signout(with: amara, signoutParameters: parameters) {
                continuation.resume(returning: ($0, $1.map(Seen.init)))
            }
        }
        #expect(!isDone)
        #expect(error?.asInternal == .internalErrorMismatchedUser)
    }

    @Test func `OUT-3 signing out of the browser without web parameters is refused without asking the broker`()
        async throws
    {
        let broker = try ScriptedBroker()
        let parameters = MSALSignoutParameters()
        parameters.signoutFromBrowser = true
        let application = try broker.application()
        let amara = try await account(TestValues.amara)
        let error = try await seen { try await application.signout(with: amara, signoutParameters: parameters) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `OUT-1 an account without an identifier is refused without asking the broker`() async throws {
        let nameless = AccountRecord(
            homeAccountID: "", localAccountID: "", realm: "", environment: "", username: "x")
        let broker = try ScriptedBroker()
        let application = try broker.application()
        let account = try await account(nameless)
        let error = try await seen {
            try await application.signout(with: account, signoutParameters: MSALSignoutParameters())
        }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }
}
