// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing
import UnixSocket

/// How the library handles a broker that misbehaves, and connections that end.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    static let nonsense: [String] = [
        "", "x", "[]", "{}", #"{"hello":{}}"#, #"{"sso_request_id":1}"#, String(repeating: "[", count: 1000),
    ]
    /// Replies that are neither a response nor an error of the broker. The test replaces `ID` with the request's id.
    static let strangeReplies: [String] = [
        #"{"sso_request_id":"ID"}"#, #"{"sso_request_id":"ID","response":[]}"#,
        #"{"sso_request_id":"ID","response":{},"error":{}}"#, #"{"sso_request_id":"ID","error":{"code":-1}}"#,
        #"{"sso_request_id":"ID","error":"no"}"#,
        #"{"sso_request_id":"ID","error":{"domain":"NSURLErrorDomain","code":-1009,"user_info":{}}}"#,
    ]

    @Test(arguments: nonsense)
    func `a malformed reply has its own error`(text: String) async throws {
        let broker = try ScriptedBroker(rounds: 2) { end in
            try end.greet()
            _ = try end.request()
            try end.connection.write(Array(text.utf8))
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal
                == .internalErrorBrokerCorruptedResponse)
    }

    @Test(arguments: nonsense + ["\0cut"])
    func `a malformed message, or one that stalls, does not affect other calls`(text: String) async throws {
        var deadlines = BrokerDeadlines.generous
        deadlines.frame = .milliseconds(50)
        let epoch = TestValues.epoch(1)
        let broker = try ScriptedBroker(
            deadlines: deadlines,
            { end in
                try end.greet(epoch)
                for _ in 0..<8 { _ = try end.request() }
                if text == "\0cut" {
                    try end.writeRaw([0, 0, 0, 9, 1])
                } else {
                    try end.connection.write(Array(text.utf8))
                }
                end.waitForEnd()
            },
            { end in
                try end.greet(epoch)
                try end.serveDevice()
            })
        let application = try broker.application()
        try await withThrowingTaskGroup(of: MSALDeviceMode.self) { group in
            for _ in 0..<8 { group.addTask { try await application.deviceInformation(with: nil).deviceMode } }
            for try await mode in group { #expect(mode == .shared) }
        }
    }

    @Test(arguments: strangeReplies)
    func `a reply that is neither a response nor an error of the broker ends only its own call`(
        text: String
    ) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let requests = [try end.request(), try end.request()]
            let strange = try #require(requests.first { $0.operation == .getAccounts })
            let other = try #require(requests.first { $0.operation == .getDeviceInfo })
            try end.connection.write(Array(text.replacing("ID", with: strange.id).utf8))
            try end.answer(other)
            try end.serveDevice()
        }
        let application = try broker.application()
        async let accounts = seen {
            try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
        }
        async let device = application.deviceInformation(with: nil)
        #expect(try await device.deviceMode == .shared)
        #expect(try await accounts.asInternal == .internalErrorBrokerCorruptedResponse)
        // This call must use the same connection: nobody would accept a second connection.
        #expect(try await application.deviceInformation(with: nil).deviceMode == .shared)
    }

    @Test func `an app that asked before the broker started is notified when it starts, and asks it`() async throws {
        let folder = try scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appending(path: "broker.sock").path
        var deadlines = BrokerDeadlines.generous
        (deadlines.connect, deadlines.pause) = (.milliseconds(20), .milliseconds(10))
        let notifications = NotificationCenter()
        let connection = BrokerConnection(
            location: BrokerLocation(socket: socket, marker: nil), deadlines: deadlines, notifications: notifications)
        defer { connection.close() }
        let application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil),
            broker: connection)
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalBrokerNotAvailable)
        let (notes, signal) = AsyncStream.makeStream(of: Void.self)
        let observer = notifications.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { _ in signal.yield() }
        defer { notifications.removeObserver(observer) }
        let listener = try Listener(path: socket, mode: 0o600)
        defer { listener.close() }
        Thread {
            guard let descriptor = try? listener.accept() else { return }
            let end = BrokerEnd(FrameConnection(descriptor, maximumFrame: Wire.maximumFrame))
            try? end.greet()
            try? end.serveDevice()
        }.start()
        var iterator = notes.makeAsyncIterator()
        await iterator.next()
        #expect(try await application.deviceInformation(with: nil).deviceMode == .shared)
    }

    @Test func `the current account is reported as unknown after seconds, however long a token may take`() async throws
    {
        #expect(BrokerDeadlines().reading <= .seconds(3))
        var deadlines = BrokerDeadlines.generous
        deadlines.reading = .milliseconds(50)
        let broker = try ScriptedBroker(deadlines: deadlines) { end in
            try end.greet()
            end.waitForEnd()
        }
        let application = try broker.application()
        let error = try await seen { try await application.currentAccount(with: nil) }
        #expect(error.asInternal == .internalErrorBrokerResponseNotReceived)
    }

    @Test func `a forked child has no connection, and every call reports it at once, even a waiting one`() async throws
    {
        let process = Mutex(Int32(1))
        let connection = BrokerConnection(
            location: BrokerLocation(socket: "/nonexistent/broker.sock", marker: nil), deadlines: .generous,
            processID: { process.withLock { $0 } })
        let application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil),
            broker: connection)
        process.withLock { $0 = 2 }
        let error = try await seen { try application.allAccounts() }
        #expect(error.asInternal == .internalBrokerNotAvailable && error.text.contains("fork()"))
        #expect(!application.isCompatibleAADBrokerAvailable && !connection.cancelSignIn())
    }

    @Test func `a BATON_SOCKET that leads to no socket is reported`() async throws {
        var deadlines = BrokerDeadlines.generous
        deadlines.connect = .milliseconds(500)
        let connection = BrokerConnection(location: .named("/nonexistent/broker.sock"), deadlines: deadlines)
        defer { connection.close() }
        let application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil),
            broker: connection)
        let error = try await seen { try await application.deviceInformation(with: nil) }
        #expect(error.text.contains("BATON_SOCKET is set, but there is no socket at that path"))
    }

    @Test(arguments: nonsense)
    func `a malformed hello has its own error`(text: String) async throws {
        let broker = try ScriptedBroker(deadlines: .within(.milliseconds(50))) { end in
            try end.connection.write(Array(text.utf8))
            end.waitForEnd()
        }
        let application = try broker.application()
        let code = try await seen { try await application.currentAccount(with: nil) }.asInternal
        // The library tries again and finds no broker; it may report either error.
        #expect(code == .internalErrorBrokerCorruptedResponse || code == .internalBrokerNotAvailable)
    }

    @Test func `a frame of an impossible size is not read`() async throws {
        let broker = try ScriptedBroker(rounds: 2) { end in
            try end.greet()
            _ = try end.request()
            try end.writeRaw([0xff, 0xff, 0xff, 0xff])
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalErrorBrokerCorruptedResponse)
    }

    @Test func `a reply that arrives byte by byte is accepted`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            let response = FlatMap.response(to: request.operation, type: .generic, device: TestValues.shared)
            let body = BrokerMessage.reply(Reply(requestID: request.id, outcome: .success(response))).bytes
            for byte in [0, 0, UInt8(body.count >> 8), UInt8(body.count & 0xff)] + body { try end.writeRaw([byte]) }
            end.waitForEnd()
        }
        #expect(try await broker.application().deviceInformation(with: nil).deviceMode == .shared)
    }

    @Test func `THR-6 a duplicate reply, or one without a request, completes no call twice`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let first = try end.request()
            try end.send(.reply(Reply(requestID: "nobody", outcome: .failure(BrokerError(.internal, "Stray.")))))
            try end.answer(first)
            try end.answer(first)
            try end.reply(first, .failure(BrokerError(.internal, "Late.")))
            try end.answer(try end.request())
            end.waitForEnd()
        }
        let application = try broker.application()
        let count = Mutex(0)
        let queue = DispatchQueue(label: "test")
        let parameters = MSALParameters()
        parameters.completionBlockQueue = queue
        application.getDeviceInformation(with: parameters) { _, _ in count.withLock { $0 += 1 } }
        _ = try await application.deviceInformation(with: nil)
        // Replies are read in order and blocks are queued in order, so every block of the first call runs before this
        // one.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `replies out of order reach their own requests`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let requests = try (0..<20).map { _ in try end.request() }
            for request in requests.reversed() {
                let error = BrokerError(.internal, try request.parameters.required(.clientID))
                try end.reply(request, .failure(error))
            }
            end.waitForEnd()
        }
        let applications = try (0..<20).map { try broker.application(clientId: "client-\($0)") }
        try await withThrowingTaskGroup { group in
            for (index, application) in applications.enumerated() {
                group.addTask {
                    let error = try await seen { try await application.currentAccount(with: nil) }
                    #expect(error.text == "client-\(index)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a silent request that is not answered times out and is cancelled`() async throws {
        let (canceled, signal) = AsyncStream.makeStream(of: Bool.self)
        var deadlines = BrokerDeadlines.generous
        deadlines.reading = .milliseconds(100)
        let broker = try ScriptedBroker(deadlines: deadlines) { end in
            try end.greet()
            try end.reply(try end.request(), .failure(BrokerError(.unsupported, "the connection is open")))
            let request = try end.request()
            let next = try end.message()
            signal.yield(next == .cancel(request.id))
            try end.answer(request)
            end.waitForEnd()
        }
        let application = try broker.application()
        // On an open connection the request is sent at once. Before the connection opens, the request's time could run
        // out on a busy machine.
        let silent = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        #expect(
            try await seen { try await application.acquireTokenSilent(with: silent) }.text
                .contains("the connection is open"))
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal
                == .internalErrorBrokerResponseNotReceived)
        var calls = canceled.makeAsyncIterator()
        #expect(await calls.next() == true)
    }

    @Test func `a broker that accepts a connection and never answers is an error after a time limit`() async throws {
        let broker = try ScriptedBroker(deadlines: .within(.milliseconds(50))) { end in end.waitForEnd() }
        let application = try broker.application()
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalBrokerNotAvailable)
    }

    @Test func `a broker with another transport version is an immediate error`() async throws {
        let broker = try ScriptedBroker { end in
            _ = try end.message()
            try end.send(
                .hello(BrokerHello(transport: 9, brokerVersion: "9", operations: [], epoch: TestValues.epoch(1))))
            end.waitForEnd()
        }
        let application = try broker.application()
        let error = try await seen { try await application.deviceInformation(with: nil) }
        #expect(error.asInternal == .internalBrokerNotAvailable)
        #expect(error.text.contains("version"))
    }

    @Test func `a listener is trusted only if it runs as root, this user, or the owner of the socket's folder`() {
        let location = BrokerLocation(socket: "/run/baton/broker.sock", marker: nil)
        func peer(_ uid: UInt32) -> Peer { Peer(pid: 1, uid: uid, gid: 0) }
        #expect(location.trusts(peer(0)))
        #expect(location.trusts(peer(geteuid())))
        #expect(!location.trusts(peer(geteuid() + 4242)))
        #expect(!BrokerLocation(socket: "/nowhere/at/all", marker: nil).trusts(peer(geteuid() + 4242)))
    }

    @Test(arguments: [false, true])
    func `a repeatable request is sent again once if the connection ended`(cutInFrame: Bool) async throws {
        let epoch = TestValues.epoch(1)
        let broker = try ScriptedBroker(
            { end in
                try end.greet(epoch)
                _ = try end.request()
                if cutInFrame { try end.writeRaw([0, 0, 0, 9, 1]) }
            },
            { end in
                try end.greet(epoch)
                try end.answer(try end.request(), TestValues.current(TestValues.bo, previous: nil))
                end.waitForEnd()
            })
        let (current, _) = try await broker.application().currentAccount(with: nil)
        #expect(current?.identifier == TestValues.bo.homeAccountID)
    }

    @Test func `if the connection ends a second time, the call fails`() async throws {
        let cut: ScriptedBroker.Script = { end in
            try end.greet()
            _ = try end.request()
        }
        let broker = try ScriptedBroker(
            cut, cut,
            { end in
                try end.greet()
                try end.serveDevice()
            })
        let application = try broker.application()
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal
                == .internalErrorBrokerResponseNotReceived)
    }

    /// Returns a broker that ends the connection during a sign-in. It greets the next connection with an epoch whose
    /// counter is `counter`, or, if `isSame` is true, with the first connection's epoch.
    private func cut(
        next counter: UInt64, isSame: Bool = false, _ last: @escaping ScriptedBroker.Script
    ) throws -> ScriptedBroker {
        let epoch = TestValues.epoch(7)
        return try ScriptedBroker(
            { end in
                try end.greet(epoch)
                _ = try end.request()
            },
            { end in
                try end.greet(isSame ? epoch : TestValues.epoch(counter))
                try last(end)
            })
    }

    private func signIn(_ broker: ScriptedBroker) async throws -> MSALResult {
        try await broker.application().acquireToken(
            with: MSALInteractiveTokenParameters(
                scopes: ["user.read"],
                webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject())))
    }

    @Test(arguments: [7, 8] as [UInt64])
    func `a sign-in is repeated in an epoch before which nobody can have been asked`(counter: UInt64) async throws {
        let broker = try cut(next: counter, isSame: counter == 7) { end in
            let request = try end.request()
            guard request.operation == .login else { throw ScriptFailure() }
            try end.answer(request, TestValues.token(TestValues.bo))
            end.waitForEnd()
        }
        #expect(try await signIn(broker).account.identifier == TestValues.bo.homeAccountID)
    }

    @Test(arguments: [9, 10, 6, 1, 7] as [UInt64])
    func `a sign-in is not repeated if somebody may have been asked, or the numbers do not tell`(
        counter: UInt64
    ) async throws {
        let broker = try cut(next: counter) { end in try end.answer(try end.request(), TestValues.token(TestValues.bo))
        }
        #expect(try await seen { try await signIn(broker) }.asInternal == .internalErrorBrokerResponseNotReceived)
    }

    @Test func `a sign-in is repeated once`() async throws {
        let broker = try cut(next: 8) { end in _ = try end.request() }
        #expect(try await seen { try await signIn(broker) }.asInternal == .internalErrorBrokerResponseNotReceived)
    }

    @Test(.timeLimit(.minutes(1)))
    func `an app that was refused because it is locked is told when the broker ends the connection`() async throws {
        let (notes, signal) = AsyncStream.makeStream(of: Void.self)
        let epoch = TestValues.epoch(1)
        let broker = try ScriptedBroker(
            { end in
                try end.greet(epoch)
                try end.reply(end.request(), .failure(BrokerError(.appLocked, "")))
            },
            { end in
                try end.greet(epoch)
                end.waitForEnd()
            })
        let observer = broker.notifications.addObserver(
            forName: BrokerConnection.accountChange, object: nil, queue: nil
        ) { _ in signal.yield() }
        defer { broker.notifications.removeObserver(observer) }
        _ = try await seen { try await broker.application().currentAccount(with: nil) }
        var iterator = notes.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test func `CUR-7 a new epoch posts the broker's notification, without an object or a name`() async throws {
        let (notes, signal) = AsyncStream.makeStream(of: Bool.self)
        let broker = try ScriptedBroker(
            { end in
                try end.greet(TestValues.epoch(1))
                try end.answer(try end.request())
            },
            { end in
                try end.greet(TestValues.epoch(2))
                end.waitForEnd()
            })
        let observer = broker.notifications.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { note in signal.yield(note.object == nil && note.userInfo == nil) }
        _ = try await broker.application().deviceInformation(with: nil)
        var iterator = notes.makeAsyncIterator()
        #expect(await iterator.next() == true)
        broker.notifications.removeObserver(observer)
    }

    @Test func `a restored connection to the same epoch posts nothing`() async throws {
        let epoch = TestValues.epoch(1)
        let posted = Mutex(0)
        let broker = try ScriptedBroker(
            { end in
                try end.greet(epoch)
                try end.answer(try end.request())
            },
            { end in
                try end.greet(epoch)
                try end.answer(try end.request())
            },
            { end in
                try end.greet(TestValues.epoch(2))
                end.waitForEnd()
            })
        let (notes, signal) = AsyncStream.makeStream(of: Void.self)
        let observer = broker.notifications.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { _ in
            posted.withLock { $0 += 1 }
            signal.yield()
        }
        let application = try broker.application()
        _ = try await application.deviceInformation(with: nil)
        _ = try await application.deviceInformation(with: nil)
        var iterator = notes.makeAsyncIterator()
        await iterator.next()
        #expect(posted.withLock { $0 } == 1)
        broker.notifications.removeObserver(observer)
    }
}

extension BrokerEnd {
    /// Writes bytes without framing them.
    func writeRaw(_ bytes: [UInt8]) throws {
        let written = connection.descriptor.withNumber { number in unsafe write(number, bytes, bytes.count) }
        guard written == bytes.count else { throw ScriptFailure() }
    }
}
