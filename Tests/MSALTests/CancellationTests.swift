// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// Rule INT-10: an app cancels the sign-in that it started.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    @Test func `INT-10 if no sign-in is running there is nothing to cancel`() throws {
        #expect(!MSALPublicClientApplication.cancelCurrentWebAuthSession())
        #expect(!(try ScriptedBroker().connection.cancelSignIn()))
    }

    @Test func `INT-10 a cancelled sign-in ends with the broker's answer, as cancelled`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            start.yield()
            guard case .cancel(request.id) = try end.message() else { throw ScriptFailure() }
            try end.reply(request, .failure(BrokerError(.programCanceled, "The app cancelled the sign-in.")))
            end.waitForEnd()
        }
        let application = try broker.application()
        async let outcome = seen { try await signIn(application) }
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        #expect(broker.connection.cancelSignIn())
        #expect(!broker.connection.cancelSignIn())
        #expect(try await outcome.code == MSALError.userCanceled.rawValue)
        #expect(!broker.connection.cancelSignIn())
    }

    @Test func `INT-10 a person who finished before the cancel is signed in`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            start.yield()
            _ = try end.message()
            try end.answer(request, TestValues.token(TestValues.amara))
            end.waitForEnd()
        }
        let application = try broker.application()
        async let result = signIn(application)
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        #expect(broker.connection.cancelSignIn())
        #expect(try await result.accessToken == "token")
    }

    @Test(arguments: [true, false])
    func `INT-10 a broker that ignores the cancel or dies does not delay the result`(dies: Bool) async throws {
        var deadlines = BrokerDeadlines.generous
        deadlines.cancellation = .milliseconds(50)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let broker = try ScriptedBroker(deadlines: deadlines) { end in
            try end.greet()
            _ = try end.request()
            start.yield()
            _ = try end.message()
            if !dies { end.waitForEnd() }
        }
        let application = try broker.application()
        async let outcome = seen { try await signIn(application) }
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        #expect(broker.connection.cancelSignIn())
        #expect(try await outcome.code == MSALError.userCanceled.rawValue)
    }

    @Test func `a sign-in that nobody finishes times out and is cancelled`() async throws {
        var deadlines = BrokerDeadlines.generous
        deadlines.interactive = .milliseconds(50)
        let (canceled, signal) = AsyncStream.makeStream(of: Bool.self)
        let broker = try ScriptedBroker(deadlines: deadlines) { end in
            try end.greet()
            let request = try end.request()
            signal.yield(try end.message() == .cancel(request.id))
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await signIn(application) }.asInternal
                == .internalErrorBrokerResponseNotReceived)
        var iterator = canceled.makeAsyncIterator()
        #expect(await iterator.next() == true)
    }
}

/// Signs a worker in, with new parameters for each call.
private func signIn(_ application: MSALPublicClientApplication) async throws -> MSALResult {
    try await application.acquireToken(
        with: MSALInteractiveTokenParameters(
            scopes: ["user.read"],
            webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject())))
}
