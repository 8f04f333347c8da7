// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Logging
import Processes
import Synchronization
import TestSupport
import Testing

/// The parts of the supervisor that have their own state, each tested separately.
@Suite struct SupervisorPartTests {
    /// The answers to an operator.
    private final class Replies: Sendable {
        private let replies = Mutex<[OperatorReply]>([])
        var all: [OperatorReply] { replies.withLock(\.self) }
        func add(_ reply: OperatorReply) { replies.withLock { $0.append(reply) } }
    }

    private let order = JoinOrder(
        loginURL: "https://login.test", registrationURL: "https://registration.test", tenant: "t", deviceName: "n")
    private let record = JoinRecord(
        tenantID: "t", deviceID: "d", loginURL: "https://login.test", certificate: "", thumbprint: "")
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func files(_ scratch: Scratch) throws -> DeviceFiles {
        let files = DeviceFiles(root: Directory(path: scratch.path("device")))
        try files.prepare()
        return files
    }

    private func code(_ reply: OperatorReply?) -> String? {
        guard case .failed(let failure)? = reply else { return nil }
        return failure.code
    }

    @Test func `only one operator at a time can request a PIN, and only in a session`() {
        let replies = Replies()
        let request = PINRequest()
        let outside = request.begin(isSignedIn: false, answer: replies.add)
        #expect(!outside)
        #expect(code(replies.all.last) == "pin_needs_worker")
        let first = request.begin(isSignedIn: true, answer: replies.add)
        let second = request.begin(isSignedIn: true, answer: replies.add)
        #expect(first && !second)
        #expect(code(replies.all.last) == "pin_running")
        request.settle(nil)
        #expect(replies.all.last == .done)
        request.settle(nil)
        #expect(replies.all.count == 3)
    }

    @Test func `a request that waits for a device change is answered once, by that change or a later one`() {
        let replies = Replies()
        var changes = DeviceChanges()
        let first = changes.next()
        changes.whenKnown { replies.add(.done) }
        let second = changes.next()
        changes.whenKnown { replies.add(.done) }
        changes.known(first)
        #expect(replies.all.count == 1)
        changes.known(second)
        changes.known(second)
        #expect(replies.all.count == 2)
    }

    @Test func `an app is locked until it has erased exactly that epoch, even over restarts`() async throws {
        try await Scratch.with { scratch in
            let locks = try AppLocks(files: files(scratch), logger: logger)
            let ended = Epoch(id: .random(), counter: 2)
            try locks.lock(["a"], until: ended)
            let byOther = try locks.unlock("a", erased: Epoch(id: .random(), counter: 2))
            #expect(!byOther)
            let next = try AppLocks(files: files(scratch), logger: logger)
            #expect(next.isLocked("a") && next.asked(during: nil) == ["a": ended])
            let byOwn = try next.unlock("a", erased: ended)
            #expect(byOwn)
            #expect(try AppLocks(files: files(scratch), logger: logger).epochs.isEmpty)
        }
    }

    @Test func `a device joins once, and its operator is answered after the administrator's session`() async throws {
        try await Scratch.with { scratch in
            let replies = Replies()
            let join = try JoinFlow(files: files(scratch), logger: logger)
            let requestID = join.begin(order, from: 1, answer: replies.add)
            #expect(requestID?.purpose == .administrator && join.order == order)
            let second = join.begin(order, from: 1, answer: replies.add)
            #expect(second == nil && code(replies.all.last) == "join_running")
            let answer = try #require(try join.complete(record))
            #expect(replies.all.count == 1)
            answer()
            #expect(replies.all.last == .joined(deviceID: "d", tenantID: "t"))
            let third = join.begin(order, from: 1, answer: replies.add)
            #expect(third == nil && code(replies.all.last) == "already_joined")
            #expect(try JoinFlow(files: files(scratch), logger: logger).record == record)
        }
    }

    @Test func `a failed join leaves the device unjoined and ready for another attempt`() async throws {
        try await Scratch.with { scratch in
            let replies = Replies()
            let join = try JoinFlow(files: files(scratch), logger: logger)
            _ = join.begin(order, from: 1, answer: replies.add)
            join.fail(OperatorFailure(code: "no", message: "", remedy: ""))
            #expect(code(replies.all.last) == "no" && join.record == nil)
            let second = join.begin(order, from: 1, answer: replies.add)
            #expect(second != nil)
        }
    }
}
