// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// The CUR rules of docs/reference/msal-rules.md. The broker remembers which account each client saw.
@Suite(.timeLimit(.minutes(10))) struct CurrentAccountTests {
    static let truthTable: [(AccountRecord?, AccountRecord?)] = [
        (nil, nil), (TestValues.amara, nil), (TestValues.amara, TestValues.amara), (nil, TestValues.amara),
        (TestValues.bo, TestValues.amara),
    ]

    @Test(arguments: truthTable.indices)
    func `CUR-6 current and previous account are those that the broker reports`(row: Int) async throws {
        let (current, previous) = Self.truthTable[row]
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), TestValues.current(current, previous: previous))
            end.waitForEnd()
        }
        let (seenCurrent, seenPrevious) = try await broker.application().currentAccount(with: nil)
        #expect(seenCurrent?.identifier == current?.homeAccountID)
        #expect(seenCurrent?.username == current?.username)
        #expect(seenPrevious?.identifier == previous?.homeAccountID)
        #expect((seenCurrent == seenPrevious) == (current == previous))
    }

    @Test(arguments: [nil, TestValues.bo])
    func `CUR-9 only the identifier of a worker who has left remains`(current: AccountRecord?) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), TestValues.current(current, previous: TestValues.amara))
            end.waitForEnd()
        }
        let previous = try #require(try await broker.application().currentAccount(with: nil).1)
        #expect(previous.identifier == TestValues.amara.homeAccountID)
        #expect(previous.username == nil)
    }

    @Test func `CUR-5 the change is acknowledged once the block has returned, and not before`() async throws {
        let epoch = TestValues.epoch(7)
        let operations = Mutex<[BrokerProtocol.Operation]>([])
        let (acknowledgements, acknowledged) = AsyncStream.makeStream(of: Request.self)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let broker = try ScriptedBroker { end in
            try end.greet()
            while true {
                let request = try end.request()
                operations.withLock { $0.append(request.operation) }
                try end.answer(request, TestValues.current(nil, previous: TestValues.amara, epoch))
                if request.operation == .acknowledgeAccount { acknowledged.yield(request) }
            }
        }
        let application = try broker.application()
        let mayReturn = DispatchSemaphore(value: 0)
        application.getCurrentAccount(with: nil) { _, _, _ in
            started.yield()
            mayReturn.wait()
        }
        var start = starts.makeAsyncIterator()
        await start.next()
        // The block has started and cannot return. An acknowledgement sent too early would reach the broker before this
        // request.
        _ = try await application.deviceInformation(with: nil)
        #expect(operations.withLock { $0 } == [.currentAccount, .getDeviceInfo])
        mayReturn.signal()
        var acknowledgement = acknowledgements.makeAsyncIterator()
        let request = try #require(await acknowledgement.next())
        #expect(try Acknowledgement(request.parameters).epoch == epoch)
    }

    @Test(arguments: [false, true])
    func `CUR-5 in async code a change counts as reported when the app asks again, in either form`(
        asksWithBlock: Bool
    ) async throws {
        let operations = Mutex<[BrokerProtocol.Operation]>([])
        let broker = try ScriptedBroker.answering { request in
            operations.withLock { $0.append(request.operation) }
            let isTold = operations.withLock { $0.contains(.acknowledgeAccount) }
            return TestValues.current(nil, previous: isTold ? nil : TestValues.amara)
        }
        let application = try broker.application()
        #expect(try await application.currentAccount(with: nil).1?.identifier == TestValues.amara.homeAccountID)
        // Other requests acknowledge nothing: the app may still be processing the change.
        _ = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
        #expect(operations.withLock { $0 } == [.currentAccount, .getAccounts])
        // The next call acknowledges the change first. It does not report the change again, so nothing is left to
        // acknowledge.
        if asksWithBlock {
            let previous: String? = await withCheckedContinuation { done in
                application.getCurrentAccount(with: nil) { _, previous, _ in
                    done.resume(returning: previous?.identifier)
                }
            }
            #expect(previous == nil)
        } else {
            #expect(try await application.currentAccount(with: nil).1 == nil)
        }
        _ = try await application.deviceInformation(with: nil)
        #expect(
            operations.withLock { $0 }
                == [.currentAccount, .getAccounts, .acknowledgeAccount, .currentAccount, .getDeviceInfo])
    }

    /// A broker that reports, once to each client id, that Amara has left and Bo is signed in.
    private static func handedOver(_ requests: Requests) throws -> ScriptedBroker {
        let isOver = Mutex(false)
        let isTold = Mutex(false)
        return try .answering(requests) { request in
            switch request.operation {
            case .getDeviceInfo: isOver.withLock { $0 = true }
            case .acknowledgeAccount: isTold.withLock { $0 = true }
            default: break
            }
            guard isOver.withLock(\.self) else { return TestValues.current(TestValues.amara, previous: nil) }
            return TestValues.current(
                TestValues.bo, previous: isTold.withLock(\.self) ? TestValues.bo : TestValues.amara)
        }
    }

    private func change(_ application: MSALPublicClientApplication) async -> [String?] {
        await withCheckedContinuation { done in
            application.getCurrentAccount(with: nil) { current, previous, _ in
                done.resume(returning: [current, previous].map { $0?.username ?? $0?.identifier })
            }
        }
    }

    @Test func `CUR-8 each object that has shown the former worker is told once, however many share a client id`()
        async throws
    {
        let broker = try Self.handedOver(Requests())
        let applications = [try broker.application(), try broker.application(), try broker.application()]
        let (amara, bo) = (TestValues.amara, TestValues.bo)
        for application in applications {
            #expect(try await application.currentAccount(with: nil).0?.username == amara.username)
        }
        _ = try await applications[0].deviceInformation(with: nil)
        for application in applications {
            #expect(await change(application) == [bo.username, amara.homeAccountID])
        }
        for application in applications {
            #expect(await change(application) == [bo.username, bo.username])
            #expect(try await application.currentAccount(with: nil).1 == application.currentAccount(with: nil).0)
        }
        // An object that has shown nobody has no data of a former worker.
        #expect(try await broker.application().currentAccount(with: nil).1?.username == bo.username)
    }

    @Test func `CUR-8 in async code, each object is told once, and the broker gets one acknowledgement`() async throws {
        let requests = Requests()
        let broker = try Self.handedOver(requests)
        let applications = [try broker.application(), try broker.application()]
        for application in applications { _ = try await application.currentAccount(with: nil) }
        _ = try await applications[0].deviceInformation(with: nil)
        for application in applications {
            #expect(try await application.currentAccount(with: nil).1?.identifier == TestValues.amara.homeAccountID)
        }
        for application in applications + applications {
            let (current, previous) = try await application.currentAccount(with: nil)
            #expect(current?.username == TestValues.bo.username && (previous == nil || previous == current))
        }
        #expect(requests.all.count { $0.operation == .acknowledgeAccount } == 1)
    }

    @Test func `CUR-8 a worker who is shown while a change is being handled is remembered, too`() async throws {
        let step = Mutex(0)
        let broker = try ScriptedBroker.answering { request in
            if request.operation == .refresh { return TestValues.token(TestValues.bo) }
            if request.operation == .acknowledgeAccount { return FlatMap() }
            let number = step.withLock { step in
                step += 1
                return step
            }
            return TestValues.current(
                number == 1 ? TestValues.amara : nil, previous: number == 2 ? TestValues.amara : nil)
        }
        let application = try broker.application()
        #expect(try await application.currentAccount(with: nil).0?.username == TestValues.amara.username)
        #expect(try await application.currentAccount(with: nil).1?.identifier == TestValues.amara.homeAccountID)
        let worker = MSALAccount(
            identifier: TestValues.bo.homeAccountID, username: nil, environment: "login.baton.test")
        _ = try await application.acquireTokenSilent(
            with: MSALSilentTokenParameters(scopes: ["User.Read"], account: worker))
        // Another process has acknowledged that Bo has left.
        #expect(try await application.currentAccount(with: nil).1?.identifier == TestValues.bo.homeAccountID)
        #expect(try await application.currentAccount(with: nil).1 == nil)
    }

    @Test func `CUR-8 if two workers were shown since the app was last told, the first one has left`() async throws {
        let shown = Mutex([TestValues.bo, TestValues.amara])
        let broker = try ScriptedBroker.answering { request in
            guard request.operation == .getAccounts else { return TestValues.current(TestValues.bo, previous: nil) }
            return AccountsResponse(accounts: shown.withLock { $0.popLast().map { [$0] } ?? [] }).entries
        }
        let application = try broker.application()
        for _ in 0..<2 { _ = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()) }
        let (current, previous) = try await application.currentAccount(with: nil)
        #expect(current?.username == TestValues.bo.username && previous?.identifier == TestValues.amara.homeAccountID)
    }

    @Test func `CUR-8 a worker who was shown between two sessions of another one has left, too`() async throws {
        let shown = Mutex([TestValues.amara, TestValues.bo, TestValues.amara])
        let broker = try ScriptedBroker.answering { request in
            // Another process has acknowledged each change.
            guard request.operation == .getAccounts else {
                return TestValues.current(TestValues.amara, previous: TestValues.amara)
            }
            return AccountsResponse(accounts: shown.withLock { $0.popLast().map { [$0] } ?? [] }).entries
        }
        let application = try broker.application()
        for _ in 0..<3 { _ = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()) }
        let (current, previous) = try await application.currentAccount(with: nil)
        #expect(current?.username == TestValues.amara.username && previous?.identifier == TestValues.bo.homeAccountID)
        let (_, next) = try await application.currentAccount(with: nil)
        #expect(next == nil || next == current)
    }

    @Test(arguments: [BrokerProtocol.Operation.refresh, .getAccounts])
    func `CUR-8 a worker whose token or account the app got has been shown, too`(operation: BrokerProtocol.Operation)
        async throws
    {
        let broker = try ScriptedBroker.answering { request in
            switch request.operation {
            case .refresh: TestValues.token(TestValues.amara)
            case .getAccounts: AccountsResponse(accounts: [TestValues.amara]).entries
            default: TestValues.current(nil, previous: nil)
            }
        }
        let application = try broker.application()
        if operation == .refresh {
            let worker = MSALAccount(
                identifier: TestValues.amara.homeAccountID, username: nil, environment: "login.baton.test")
            _ = try await application.acquireTokenSilent(
                with: MSALSilentTokenParameters(scopes: ["User.Read"], account: worker))
        } else {
            _ = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
        }
        #expect(try await application.currentAccount(with: nil).1?.identifier == TestValues.amara.homeAccountID)
        #expect(try await application.currentAccount(with: nil).1 == nil)
    }

    @Test func `CUR-6 if the worker has not changed, nothing is acknowledged`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in
            TestValues.current(TestValues.amara, previous: TestValues.amara)
        }
        let application = try broker.application()
        for _ in 0..<2 {
            await withCheckedContinuation { done in
                application.getCurrentAccount(with: nil) { _, _, _ in done.resume() }
            }
            _ = try await application.currentAccount(with: nil)
        }
        _ = try await application.deviceInformation(with: nil)
        #expect(requests.all.allSatisfy { $0.operation != .acknowledgeAccount })
    }

    @Test func `CUR-5 if the acknowledgement fails, the app still has its answer`() async throws {
        let broker = try ScriptedBroker.answering { request in
            if request.operation == .acknowledgeAccount { throw BrokerError(.internal, "The disk is full.") }
            return TestValues.current(TestValues.bo, previous: TestValues.amara)
        }
        let (current, previous) = try await broker.application().currentAccount(with: nil)
        #expect(
            current?.identifier == TestValues.bo.homeAccountID && previous?.identifier == TestValues.amara.homeAccountID
        )
    }

    @Test func `CUR-2 CUR-11 filters in the parameters have no effect here`() async throws {
        let broker = try ScriptedBroker.answering { _ in TestValues.current(TestValues.amara, previous: nil) }
        let parameters = MSALAccountEnumerationParameters(identifier: TestValues.bo.homeAccountID)
        let (current, _) = try await broker.application().currentAccount(with: parameters)
        #expect(current?.identifier == TestValues.amara.homeAccountID)
    }

    @Test func `CUR-10 an error comes with no account, and nothing is acknowledged`() async throws {
        let operations = Mutex<[BrokerProtocol.Operation]>([])
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.reply(try end.request(), .failure(BrokerError(.internal, "Broken.")))
            while true {
                let request = try end.request()
                operations.withLock { $0.append(request.operation) }
                try end.answer(request)
            }
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal == .internalErrorUnexpected)
        // This call uses the same connection, so an acknowledgement would reach the broker before this call.
        _ = try await application.deviceInformation(with: nil)
        #expect(operations.withLock { $0 } == [.getDeviceInfo])
    }

    @Test func `CUR-3 several accounts are an error`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            var map = AccountsResponse(accounts: [TestValues.amara, TestValues.bo]).entries
            map[.epoch] = TestValues.epoch(1).description
            try end.answer(try end.request(), map)
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal
                == .internalErrorAmbiguousAccount)
    }

    @Test(arguments: ["no JSON", #"{"home_account_id":"x"}"#, #"[{"username":"#])
    func `a malformed list of accounts is an error, not an empty list`(text: String) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            var map = TestValues.current(nil, previous: nil)
            map[.accounts] = text
            try end.answer(try end.request(), map)
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal == .internalErrorBrokerUnknown
        )
    }

    @Test func `ACC-2 accounts are equal by identifier whatever the case`() async throws {
        let upper = AccountRecord(
            homeAccountID: TestValues.amara.homeAccountID.uppercased(), localAccountID: "", realm: "",
            environment: "other",
            username: "else")
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), TestValues.current(upper, previous: TestValues.amara))
            end.waitForEnd()
        }
        let (current, previous) = try await broker.application().currentAccount(with: nil)
        #expect(current == previous)
    }
}
