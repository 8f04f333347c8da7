// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Redaction
import Synchronization
import Testing
import UnixSocket

/// A hostile broker: answers that are too large, too late or missing, a socket with another owner, a restart during a
/// call. The suite also tests an app whose calls are too many, too large or concurrent.
@Suite(.timeLimit(.minutes(10))) struct HostileBrokerTests {
    @Test func `an answer larger than the maximum frame is refused, with a code and a remedy`() async throws {
        let broker = try ScriptedBroker(rounds: 2) { end in
            try end.greet()
            _ = try end.request()
            // One byte more than the largest frame.
            let size = Wire.maximumFrame + 1
            try end.writeRaw([UInt8(size >> 24), UInt8(size >> 16 & 0xff), UInt8(size >> 8 & 0xff), UInt8(size & 0xff)])
            end.waitForEnd()
        }
        let application = try broker.application()
        let error = try await seen { try await application.currentAccount(with: nil) }
        #expect(error.asInternal == .internalErrorBrokerCorruptedResponse)
        #expect(error.text.contains("Update the library and the broker"))
    }

    @Test func `an answer with too many members or too long texts is refused`() async throws {
        let many = (0...600).map { #""k\#($0)":"v""# }.joined(separator: ",")
        let long = #""k":"\#(String(repeating: "x", count: 70_000))""#
        for members in [many, long] {
            let broker = try ScriptedBroker(rounds: 2) { end in
                try end.greet()
                let request = try end.request()
                try end.connection.write(
                    Array(#"{"sso_request_id":"\#(request.id)","response":{\#(members)}}"#.utf8))
                end.waitForEnd()
            }
            let application = try broker.application()
            #expect(
                try await seen { try await application.currentAccount(with: nil) }.asInternal
                    == .internalErrorBrokerCorruptedResponse)
        }
    }

    @Test func `an answer after the deadline is dropped, and the next call is served`() async throws {
        let broker = try ScriptedBroker(deadlines: .answering(within: .seconds(6))) { end in
            try end.greet()
            let first = try end.request()
            guard case .cancel(first.id) = try end.message() else { throw ScriptFailure() }
            try end.answer(first, TestValues.current(TestValues.bo, previous: nil))
            try end.answer(try end.request(), TestValues.current(TestValues.amara, previous: nil))
            end.waitForEnd()
        }
        let application = try broker.application()
        let error = try await seen { try await application.currentAccount(with: nil) }
        #expect(error.asInternal == .internalErrorBrokerResponseNotReceived)
        #expect(error.text.contains("retry"))
        let (current, _) = try await application.currentAccount(with: nil)
        #expect(current?.identifier == TestValues.amara.homeAccountID)
    }

    @Test func `a connection to a broker that reads nothing is closed, and the next one serves every call`()
        async throws
    {
        var deadlines = BrokerDeadlines.generous
        // This deadline also applies to the second broker, which may not read at once on a busy machine.
        deadlines.taking = .seconds(5)
        let broker = try ScriptedBroker(
            deadlines: deadlines,
            { end in
                try end.greet()
                end.waitForEndWithoutReading()
            },
            { end in
                try end.greet()
                while true { try end.answer(try end.request(), TestValues.token(TestValues.amara)) }
            })
        let application = try broker.application()
        let amara = try await account(TestValues.amara)
        // Together, the requests are larger than the kernel's buffer for a broker that does not read.
        let long = MSALIndividualClaimRequestAdditionalInfo()
        long.value = String(repeating: "x", count: 50_000)
        let claims = MSALClaimsRequest()
        let claim = MSALIndividualClaimRequest(name: "long")
        claim.additionalInfo = long
        try claims.requestClaim(claim, for: .idToken)
        let (answers, signal) = AsyncStream.makeStream(of: Bool.self)
        for _ in 0..<40 {
            let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: amara)
            parameters.claimsRequest = claims
            application.acquireTokenSilent(with: parameters) { result, _ in signal.yield(result != nil) }
        }
        for await isToken in answers.prefix(40) { #expect(isToken) }
    }

    @Test(arguments: [(70_000, 1, 1), (60_000, 60_000, 60_000)])
    func `an app's request that exceeds a frame is refused, and other calls are not affected`(
        query: Int, scope: Int, capability: Int
    ) async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in TestValues.current(TestValues.amara, previous: nil) }
        func long(_ count: Int) -> String { String(repeating: "x", count: count) }
        let application = try broker.application { $0.clientApplicationCapabilities = [long(capability)] }
        _ = try await application.currentAccount(with: nil)
        let parameters = MSALSilentTokenParameters(scopes: [long(scope)], account: try await account(TestValues.amara))
        parameters.extraQueryParameters = ["a": long(query)]
        let error = try await seen { try await application.acquireTokenSilent(with: parameters) }
        #expect(error.asInternal == .internalErrorInvalidParameter && error.text.contains("64 KiB"))
        // This call must use the same connection: nobody would accept a second connection.
        _ = try await application.currentAccount(with: nil)
        #expect(requests.all.count == 2)
    }

    @Test func `an app that releases its application during a call still gets the answer`() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            mayAnswer.wait()
            try end.answer(request, TestValues.current(TestValues.amara, previous: nil))
            end.waitForEnd()
        }
        let identifier = await withCheckedContinuation { (done: CheckedContinuation<String?, Never>) in
            weak var gone: MSALPublicClientApplication?
            do {
                let application = try? broker.application()
                gone = application
                application?.getCurrentAccount(with: nil) { current, _, _ in done.resume(returning: current?.identifier)
                }
            }
            #expect(gone == nil)
            mayAnswer.signal()
        }
        #expect(identifier == TestValues.amara.homeAccountID)
    }

    @Test func `a broker that sends requests and hellos instead of answers is refused`() async throws {
        for message in [
            ClientMessage.cancel("x").bytes, ClientMessage.hello(ClientHello(clientName: "", clientVersion: "")).bytes,
        ] {
            let broker = try ScriptedBroker(rounds: 2) { end in
                try end.greet()
                _ = try end.request()
                try end.connection.write(message)
                end.waitForEnd()
            }
            let application = try broker.application()
            #expect(
                try await seen { try await application.currentAccount(with: nil) }.asInternal
                    == .internalErrorBrokerCorruptedResponse)
        }
    }

    @Test func `a socket owned by another user is refused, and nothing is sent to it`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker(isTrusted: false) { end in requests.add(try end.request()) }
        let application = try broker.application()
        let error = try await seen { try await application.deviceInformation(with: nil) }
        #expect(error.asInternal == .internalBrokerNotAvailable)
        #expect(error.text.contains("untrusted") && error.text.contains("socket's owner"))
        #expect(requests.all.isEmpty)
    }

    @Test func `if the broker restarts during calls, each call gets one result`() async throws {
        let epoch = TestValues.epoch(1)
        let broker = try ScriptedBroker(
            { end in
                try end.greet(epoch)
                for _ in 0..<64 { _ = try end.request() }
            },
            { end in
                try end.greet(epoch)
                for _ in 0..<64 {
                    try end.answer(try end.request(), TestValues.current(TestValues.amara, previous: nil))
                }
                end.waitForEnd()
            })
        let application = try broker.application()
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<64 {
                group.addTask { try await application.currentAccount(with: nil).0?.identifier }
            }
            for try await identifier in group { #expect(identifier == TestValues.amara.homeAccountID) }
        }
    }

    @Test func `10,000 successive account changes are each posted, and the last one is the answer`() async throws {
        let count = 10_000
        let changes = try ChangingBroker(changes: count)
        defer { changes.close() }
        let application = try changes.application()
        let (posted, post) = AsyncStream.makeStream(of: Void.self)
        let observer = changes.notifications.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { _ in post.yield() }
        _ = try await application.deviceInformation(with: nil)
        var seen = 0
        for await _ in posted {
            seen += 1
            if seen == count { break }
        }
        let (current, _) = try await application.currentAccount(with: nil)
        #expect(current?.username == "worker\(count)@baton.test")
        changes.notifications.removeObserver(observer)
    }

    @Test func `THR-6 each of 64 concurrent threads gets its own answers, once`() async throws {
        let broker = try ScriptedBroker.answering { request in
            TestValues.current(TestValues.account(request.parameters[.clientID] ?? "", uid: "u"), previous: nil)
        }
        let applications = try (0..<64).map { try broker.application(clientId: "client-\($0)") }
        let rounds = 20
        let answers = Mutex<[String: Int]>([:])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let left = Counter(64)
            for (index, application) in applications.enumerated() {
                Thread {
                    for _ in 0..<rounds {
                        let answered = DispatchSemaphore(value: 0)
                        application.getCurrentAccount(with: nil) { current, _, error in
                            let isRight = error == nil && current?.username == "client-\(index)@baton.test"
                            answers.withLock { $0["\(index) \(isRight)", default: 0] += 1 }
                            answered.signal()
                        }
                        answered.wait()
                    }
                    if left.next() == 0 { done.resume() }
                }.start()
            }
        }
        #expect(answers.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0) true", rounds) }))
    }

    @Test func `calls over the limit of waiting calls are refused at once, and the others are answered`() async throws {
        let refused = DispatchSemaphore(value: 0)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let requests = try (0..<256).map { _ in try end.request() }
            for _ in 0..<44 { refused.wait() }
            for request in requests { try end.answer(request) }
            end.waitForEnd()
        }
        let application = try broker.application()
        let codes = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    do {
                        _ = try await application.deviceInformation(with: nil)
                        return nil
                    } catch {
                        refused.signal()
                        return Seen(error).internalCode
                    }
                }
            }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 256)
        #expect(codes.count { $0 == MSALInternalError.internalErrorUnexpected.rawValue } == 44)
    }

    @Test func `a block that calls back into the library, even with calls that block, delays nothing`() async throws {
        let broker = try ScriptedBroker.answering { request in
            request.operation == .getAccounts
                ? AccountsResponse(accounts: [TestValues.amara]).entries
                : TestValues.current(TestValues.amara, previous: TestValues.bo)
        }
        let application = try broker.application()
        let serial = DispatchQueue(label: "app")
        let parameters = MSALParameters()
        parameters.completionBlockQueue = serial
        let depth = await withCheckedContinuation { (done: CheckedContinuation<Int, Never>) in
            application.getCurrentAccount(with: parameters) { _, _, _ in
                let inner = MSALParameters()
                inner.completionBlockQueue = serial
                let accounts = (try? application.allAccounts())?.count ?? -1
                application.getCurrentAccount(with: inner) { _, _, _ in
                    application.getDeviceInformation(with: nil) { _, _ in done.resume(returning: accounts) }
                }
            }
        }
        #expect(depth == 1)
    }
}

/// A counter that many threads count down.
private final class Counter: Sendable {
    private let value: Mutex<Int>

    init(_ start: Int) { value = Mutex(start) }

    func next() -> Int {
        value.withLock { value in
            value -= 1
            return value
        }
    }
}

/// A broker that greets each connection with a new epoch and then closes it, `changes` times. It serves one request on
/// the first connection, and one request on the connection after the last change.
private final class ChangingBroker: Sendable {
    let notifications = NotificationCenter()
    private let broker: BrokerConnection
    private let listener: Listener
    private let folder: URL

    init(changes: Int) throws {
        folder = try scratchFolder()
        let socket = folder.appending(path: "broker.sock").path
        listener = try Listener(path: socket, mode: 0o600)
        var deadlines = BrokerDeadlines.generous
        deadlines.pause = .zero
        broker = BrokerConnection(
            location: BrokerLocation(socket: socket, marker: nil), deadlines: deadlines, notifications: notifications)
        Thread { [listener] in
            for number in 0...changes {
                guard let descriptor = try? listener.accept() else { return }
                let end = BrokerEnd(FrameConnection(descriptor, maximumFrame: Wire.maximumFrame))
                try? end.greet(TestValues.epoch(UInt64(number)))
                if number == 0 { _ = (try? end.request()).map { try? end.answer($0) } }
                if number == changes {
                    let worker = TestValues.account("worker\(number)", uid: "u")
                    _ = (try? end.request()).map { try? end.answer($0, TestValues.current(worker, previous: nil)) }
                    end.waitForEnd()
                }
                end.connection.shutDown()
            }
        }.start()
    }

    func application() throws -> MSALPublicClientApplication {
        try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil), broker: broker)
    }

    func close() {
        broker.close()
        listener.close()
        try? FileManager.default.removeItem(at: folder)
    }
}
