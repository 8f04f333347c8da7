// SPDX-License-Identifier: Apache-2.0
import Foundation
import Handover
import MSAL
import MSALTesting
import Synchronization
import Testing

/// An app's part in the hand-over on a simulated device. Like an app's tests, these tests use public names only.
@Suite(.timeLimit(.minutes(2))) struct HandoverTests {
    private let notifications = NotificationCenter()
    private let device: TestDevice
    private let amara = TestWorker("amara@contoso.example", name: "Amara")
    private let bo = TestWorker("bo@contoso.example")

    init() { device = TestDevice(answersWithin: .milliseconds(300), notifications: notifications) }

    private func application(_ clientId: String = "app") throws -> MSALPublicClientApplication {
        try device.application(
            MSALPublicClientApplicationConfig(
                clientId: clientId, redirectUri: "msauth.org.example.app://auth", authority: nil))
    }

    private func handover() throws -> Handover { try Handover(application()) }

    /// Waits until a reader is told of a worker, and returns this change; nil if the changes end.
    private func worker(_ changes: WorkerChanges.Iterator) async -> WorkerChange? {
        while let change = await changes.next() {
            if change.current != nil { return change }
        }
        return nil
    }

    // MARK: Changes

    @Test func `a reader is told who is signed in, and then of each change`() async throws {
        let changes = try handover().changes(for: "window").makeAsyncIterator()
        #expect(await changes.next()?.kind == .signedOut(previous: nil))
        device.signIn(amara)
        let first = try #require(await changes.next())
        #expect(first.kind == .signedIn(amara.account) && first.current?.username == "amara@contoso.example")
        device.signIn(bo)
        let second = try #require(await changes.next())
        #expect(second.kind == .switched(from: amara.account, to: bo.account))
        #expect(try #require(second.epoch).number > #require(first.epoch).number)
        device.signOut()
        #expect(await changes.next()?.kind == .signedOut(previous: bo.account))
        device.signIn(bo)
        #expect(await changes.next()?.kind == .signedIn(bo.account))
    }

    @Test func `a worker who signs in again is a new session`() async throws {
        device.signIn(amara)
        let changes = try handover().changes(for: "window").makeAsyncIterator()
        let first = try #require(await changes.next())
        device.signOut()
        device.signIn(amara)
        let next = try #require(await worker(changes))
        #expect(next.kind == .signedIn(amara.account) && next.epoch != first.epoch)
    }

    @Test func `each reader is told of each change, also after a restart of the app`() async throws {
        device.signIn(amara)
        do {
            let handover = try handover()
            for reader in ["window", "cache"] {
                let changes = try handover.changes(for: reader).makeAsyncIterator()
                #expect(await changes.next()?.kind == .signedIn(amara.account))
            }
            handover.close()
        }
        device.signIn(bo)
        do {
            let handover = try handover()
            let changes = try handover.changes(for: "window").makeAsyncIterator()
            #expect(await changes.next()?.kind == .switched(from: amara.account, to: bo.account))
            // The process ends before the change is handled.
            handover.close()
        }
        device.signIn(TestWorker("chi@contoso.example"))
        let chi = TestWorker("chi@contoso.example").account
        let handover = try handover()
        for reader in ["window", "cache"] {
            let changes = try handover.changes(for: reader).makeAsyncIterator()
            let change = try #require(await changes.next())
            #expect(change.current == chi && change.previous == amara.account)
        }
    }

    @Test func `nobody is signed in while somebody signs in, or after the device was removed`() async throws {
        device.openSignInOfOtherApp()
        let application = try application()
        let changes = try Handover(application).changes(for: "window").makeAsyncIterator()
        #expect(await changes.next()?.kind == .signedOut(previous: nil))
        device.signIn(amara)
        #expect(await changes.next()?.kind == .signedIn(amara.account))
        // An app that removes the account forgets its tokens. The worker stays signed in on the device.
        try application.remove(amara.account)
        device.removeDevice()
        #expect(await changes.next()?.kind == .signedOut(previous: amara.account))
    }

    @Test func `a reader learns at once that the broker does not answer, and who is signed in when it does`()
        async throws
    {
        device.signIn(amara)
        let changes = try handover().changes(for: "window").makeAsyncIterator()
        #expect(await changes.next()?.current == amara.account)
        device.stopBroker()
        let lost = try #require(await changes.next())
        guard case .unknown(let reason) = lost.kind else { throw Unexpected(lost) }
        #expect(reason.error.domain == MSALErrorDomain && lost.current == nil && lost.epoch == nil)
        #expect(reason.isPassing)
        device.startBroker()
        #expect(await changes.next()?.kind == .signedIn(amara.account))
    }

    @Test func `a reader on a personal device is told why nobody is known`() async throws {
        device.setMode(.personal)
        let changes = try handover().changes(for: "window").makeAsyncIterator()
        guard case .unknown(let reason) = try #require(await changes.next()).kind else { throw Unexpected(()) }
        #expect(reason.error.userInfo[BatonReasonKey] as? String == "personal_device")
    }

    @Test func `a reader that is cancelled is told nothing more`() async throws {
        let handover = try handover()
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next() != nil)
        let waiting = Task { await changes.next() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        device.signIn(amara)
        #expect(await changes.next()?.current == amara.account)
    }

    @Test func `a new loop over the changes begins with who is signed in`() async throws {
        device.signIn(amara)
        let changes = try handover().changes(for: "window")
        for _ in 0..<3 {
            for await change in changes {
                #expect(change.kind == .signedIn(amara.account))
                break
            }
        }
        device.signOut()
        for await change in changes {
            #expect(change.kind == .signedOut(previous: amara.account))
            break
        }
    }

    @Test func `unsaved work is not the next worker's`() async throws {
        device.signIn(amara)
        let handover = try handover()
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await worker(changes)?.current == amara.account)
        handover.hasUnsavedWork = true
        await device.reached(.unsavedWork)
        device.signIn(bo)
        #expect(await worker(changes)?.current == bo.account)
        #expect(!handover.hasUnsavedWork && !device.hasUnsavedWork)
    }

    @Test func `an answer that does not come is asked for again`() async throws {
        device.signIn(amara)
        device.fail(.eraser, with: .silence)
        let handover = try handover()
        try handover.eraser("notes") { _ in }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await worker(changes)?.current == amara.account)
        #expect(device.calls.count { $0 == .eraser } == 2)
    }

    @Test func `a report whose answer is lost is sent again`() async throws {
        let handover = try handover()
        let log = Log()
        try handover.eraser("notes") { _ in log.add("erased") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        device.fail(.erased, with: .lostConnection)
        await device.handover(to: bo)
        #expect(await worker(changes)?.current == bo.account)
        #expect(log.lines == ["erased"] && device.owedErasers.isEmpty)
    }

    @Test func `a reader that comes after an eraser was refused is told why`() async throws {
        device.signIn(amara)
        device.fail(.eraser, with: .deviceNotShared)
        let handover = try handover()
        try handover.eraser("notes") { _ in }
        await device.reached(.eraser)
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        guard case .unknown(let reason) = try #require(await changes.next()).kind else { throw Unexpected(()) }
        #expect(!reason.isPassing)
    }

    // MARK: Erasers

    @Test func `an eraser runs after each sign-out, before the next worker is reported`() async throws {
        let handover = try handover()
        let log = Log()
        try handover.eraser("notes") { _ in log.add("notes erased") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next() != nil)
        for next in [amara, bo] {
            device.signIn(next)
            #expect(await worker(changes)?.current == next.account)
            log.add("worker")
            device.signOut()
            #expect(await changes.next()?.kind == .signedOut(previous: next.account))
        }
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        #expect(log.lines == ["worker", "notes erased", "worker", "notes erased"])
        #expect(device.owedErasers.isEmpty)
    }

    @Test func `no worker is reported before the next sign-out waits for each eraser`() async throws {
        device.signIn(amara)
        let handover = try handover()
        try handover.eraser("notes") { _ in }
        try handover.eraser("cache") { _ in }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next()?.current == amara.account)
        let account = try #require(device.calls.lastIndex(of: .eraser))
        #expect(device.calls[...account].count { $0 == .eraser } == 2)
    }

    /// Closes an app with an eraser in the first worker's session, and signs the next worker in.
    private func handOverClosedApp(_ log: Log) async throws {
        device.signIn(amara)
        do {
            let handover = try handover()
            try handover.eraser("notes") { _ in log.add("too early") }
            let changes = try handover.changes(for: "window").makeAsyncIterator()
            #expect(await changes.next()?.current == amara.account)
            handover.close()
        }
        device.signIn(bo)
        #expect(device.owedErasers == ["notes"])
    }

    @Test func `an app that was closed at the sign-out erases at its next start, before it is given a worker`()
        async throws
    {
        let log = Log()
        try await handOverClosedApp(log)
        let application = try application()
        let (notes, signal) = AsyncStream.makeStream(of: Void.self)
        let observer = notifications.addObserver(forName: .currentAccountChanged, object: nil, queue: nil) { _ in
            signal.yield()
        }
        defer { notifications.removeObserver(observer) }
        // A locked app gets nothing of the next worker from MSAL either.
        await #expect(throws: NSError.self) { try await application.currentAccount(with: nil) }
        let handover = try Handover(application)
        try handover.eraser("notes") { _ in log.add("notes erased") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        let change = try #require(await worker(changes))
        #expect(change.current == bo.account && change.previous == amara.account)
        #expect(log.lines == ["notes erased"] && device.owedErasers.isEmpty)
        // The app is told that it may ask again.
        var told = notes.makeAsyncIterator()
        await told.next()
        #expect(try await application.currentAccount(with: nil).0 == bo.account)
    }

    @Test func `while its own eraser runs, an app is told that the reason passes`() async throws {
        try await handOverClosedApp(Log())
        let (hang, release) = AsyncStream.makeStream(of: Void.self)
        let handover = try handover()
        try handover.eraser("notes") { _ in
            var iterator = hang.makeAsyncIterator()
            await iterator.next()
        }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        guard case .unknown(let reason) = try #require(await changes.next()).kind else { throw Unexpected(()) }
        #expect(reason.isPassing && reason.error.userInfo[BatonReasonKey] as? String == "app_locked")
        release.yield()
        #expect(await changes.next()?.current == bo.account)
    }

    @Test func `an app that is locked and has no eraser is told that the reason lasts`() async throws {
        try await handOverClosedApp(Log())
        let changes = try handover().changes(for: "window").makeAsyncIterator()
        guard case .unknown(let reason) = try #require(await changes.next()).kind else { throw Unexpected(()) }
        #expect(!reason.isPassing)
    }

    @Test func `an app whose data the device has taken away is not locked, and erases nothing`() async throws {
        let log = Log()
        try await handOverClosedApp(log)
        device.takeAppData()
        let handover = try handover()
        try handover.eraser("notes") { _ in log.add("nothing is owed") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        let change = try #require(await worker(changes))
        #expect(change.current == bo.account && change.previous == amara.account)
        #expect(log.lines.isEmpty && device.owedErasers.isEmpty)
    }

    @Test func `an eraser that throws keeps the app locked until it has erased`() async throws {
        struct DiskFull: Error {}
        let attempts = Log()
        let handover = try handover()
        try handover.eraser("notes") { _ in
            attempts.add("attempt")
            if attempts.lines.count == 1 { throw DiskFull() }
        }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next() != nil)
        device.signIn(amara)
        #expect(await changes.next()?.current == amara.account)
        device.signOut()
        // The app may learn in either order that it is locked and that its worker has left.
        let left = WorkerChange.Kind.signedOut(previous: amara.account)
        while let change = await changes.next(), change.kind != left {
            guard case .unknown = change.kind else { throw Unexpected(change) }
        }
        await device.reached(.erased)
        #expect(device.owedErasers == ["notes"])
        device.signIn(bo)
        let change = try #require(await worker(changes))
        #expect(change.current == bo.account && attempts.lines.count == 2, "\(device.calls)")
        #expect(device.owedErasers.isEmpty)
    }

    @Test func `an eraser that hangs hides the next worker, and not that the former one has left`() async throws {
        let (hang, release) = AsyncStream.makeStream(of: Void.self)
        let handover = try handover()
        try handover.eraser("notes") { _ in
            var iterator = hang.makeAsyncIterator()
            await iterator.next()
        }
        try handover.eraser("cache") { _ in }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next() != nil)
        device.signIn(amara)
        #expect(await changes.next()?.current == amara.account)
        device.signOut()
        #expect(await changes.next()?.kind == .signedOut(previous: amara.account))
        device.signIn(bo)
        await device.reached(.erased)
        #expect(device.owedErasers == ["notes"])
        release.yield()
        let change = try #require(await worker(changes))
        #expect(change.kind == .signedIn(bo.account) && device.owedErasers.isEmpty)
    }

    // MARK: Names

    @Test(arguments: ["", "Notes", "my notes", "notes:cache", "abcdefghijklmnopq", "é"])
    func `a name that is not 1 to 16 letters is refused`(name: String) throws {
        let handover = try handover()
        #expect(throws: HandoverError(code: .nameInvalid)) { try handover.eraser(name) { _ in } }
        #expect(throws: HandoverError(code: .nameInvalid)) { try handover.changes(for: name) }
    }

    @Test func `a name is used once, and there are at most sixteen`() throws {
        let handover = try handover()
        for number in 0..<16 {
            let name = String(repeating: "a", count: number + 1)
            try handover.eraser(name) { _ in }
            _ = try handover.changes(for: name)
        }
        #expect(throws: HandoverError(code: .nameTaken)) { try handover.eraser("aa") { _ in } }
        #expect(throws: HandoverError(code: .nameTaken)) { try handover.changes(for: "aa") }
        #expect(throws: HandoverError(code: .namesTooMany)) { try handover.eraser("b") { _ in } }
        #expect(throws: HandoverError(code: .namesTooMany)) { try handover.changes(for: "b") }
    }

    @Test func `a name is used once in a process, whichever object uses it`() async throws {
        let log = Log()
        let (first, second, other) = (try handover(), try handover(), try Handover(application("other")))
        try first.eraser("notes") { _ in log.add("first") }
        let changes = try first.changes(for: "window").makeAsyncIterator()
        // The broker would take the answer of one object for the answer of the other, which would then never erase.
        #expect(throws: HandoverError(code: .nameTaken)) { try second.eraser("notes") { _ in log.add("second") } }
        #expect(throws: HandoverError(code: .nameTaken)) { try second.changes(for: "window") }
        // Both client ids may belong to one app. The broker distinguishes readers by client id.
        #expect(throws: HandoverError(code: .nameTaken)) { try other.eraser("notes") { _ in log.add("other") } }
        _ = try other.changes(for: "window")
        try second.eraser("cache") { _ in log.add("cache") }
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        let cache = try second.changes(for: "cache").makeAsyncIterator()
        #expect(await worker(cache)?.current == amara.account)
        await device.handover(to: bo)
        #expect(await worker(changes)?.current == bo.account)
        #expect(Set(log.lines) == ["first", "cache"] && device.owedErasers.isEmpty)
    }

    @Test func `a client id has at most sixteen names in a process, whichever objects use them`() throws {
        let objects = try [handover(), Handover(application("APP"))]
        for number in 0..<16 {
            let name = String(repeating: "a", count: number + 1)
            try objects[number % 2].eraser(name) { _ in }
            _ = try objects[number % 2].changes(for: name)
        }
        for object in objects {
            #expect(throws: HandoverError(code: .nameTaken)) { try object.changes(for: "a") }
            #expect(throws: HandoverError(code: .namesTooMany)) { try object.eraser("b") { _ in } }
            #expect(throws: HandoverError(code: .namesTooMany)) { try object.changes(for: "b") }
        }
        try Handover(application("other")).eraser("b") { _ in }
    }

    @Test func `an object that is closed does nothing more, and another one takes over its names`() async throws {
        device.signIn(amara)
        let log = Log()
        let former = try handover()
        try former.eraser("notes") { _ in log.add("former") }
        try former.willEnd { _ in log.add("saved") }
        let changes = try former.changes(for: "window")
        let loop = changes.makeAsyncIterator()
        #expect(await loop.next()?.current == amara.account)
        let waiting = Task { await loop.next() }
        former.close()
        former.close()
        #expect(await waiting.value == nil)
        #expect(await loop.next() == nil)
        #expect(await changes.makeAsyncIterator().next() == nil)
        #expect(throws: HandoverError(code: .closed)) { try former.eraser("cache") { _ in } }
        #expect(throws: HandoverError(code: .closed)) { try former.changes(for: "cache") }
        #expect(throws: HandoverError(code: .closed)) { try former.willEnd { _ in } }
        former.hasUnsavedWork = true
        former.isActive()
        #expect(!former.hasUnsavedWork)
        let latter = try handover()
        try latter.eraser("notes") { _ in log.add("latter") }
        let again = try latter.changes(for: "window").makeAsyncIterator()
        #expect(await again.next()?.current == amara.account)
        await device.handover(to: bo)
        #expect(await worker(again)?.current == bo.account)
        #expect(log.lines == ["latter"] && device.owedErasers.isEmpty)
        #expect(!device.calls.contains(.unsavedWork) && !device.calls.contains(.activity))
    }

    @Test func `what an object had begun to erase when it was closed is owed by the next one`() async throws {
        let log = Log()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let former = try handover()
        try former.eraser("notes") { _ in
            starting.yield()
            for await _ in release {}
            log.add("former")
        }
        let changes = try former.changes(for: "window").makeAsyncIterator()
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        device.signOut()
        for await _ in started { break }
        former.close()
        let latter = try handover()
        try latter.eraser("notes") { _ in
            log.add("latter")
            releasing.finish()
        }
        let again = try latter.changes(for: "window").makeAsyncIterator()
        await device.reached(.erased)
        device.signIn(bo)
        #expect(await worker(again)?.current == bo.account)
        #expect(device.owedErasers.isEmpty)
        // The block of the former object returns later, and reports nothing.
        #expect(device.calls.count { $0 == .erased } == 1, "\(device.calls)")
        #expect(log.lines.first == "latter")
    }

    @Test func `the device keeps the limit of sixteen readers, also after restarts of the app`() async throws {
        device.signIn(amara)
        for letter in ["a", "b"] {
            let handover = try handover()
            for number in 1...8 {
                let reader = String(repeating: letter, count: number)
                let changes = try handover.changes(for: reader).makeAsyncIterator()
                #expect(await changes.next()?.current == amara.account)
            }
            handover.close()
        }
        let handover = try handover()
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        guard case .unknown(let reason) = try #require(await changes.next()).kind else { throw Unexpected(()) }
        #expect(reason.error.userInfo[BatonReasonKey] as? String == "readers_too_many" && !reason.isPassing)
        let known = try handover.changes(for: "a").makeAsyncIterator()
        #expect(await known.next()?.current == amara.account)
    }

    @Test func `a loop that another one has replaced acknowledges nothing`() async throws {
        device.signIn(amara)
        let handover = try handover()
        let changes = try handover.changes(for: "window")
        let former = changes.makeAsyncIterator()
        #expect(await former.next()?.current == amara.account)
        let latter = changes.makeAsyncIterator()
        #expect(await latter.next()?.current == amara.account)
        device.signIn(bo)
        #expect(await latter.next()?.kind == .switched(from: amara.account, to: bo.account))
        // If the former loop went on, it would acknowledge what the latter one has not handled.
        let replaced = Task { await former.next() }
        device.signOut()
        #expect(await replaced.value == nil)
        #expect(await latter.next()?.kind == .signedOut(previous: bo.account))
    }

    @Test func `each error says what to do`() {
        for code in HandoverError.Code.allCases {
            let words = HandoverError(code: code).description
            #expect(words.split(separator: ". ").count == 2 && words.hasSuffix("."))
        }
    }

    // MARK: The end of a session

    @Test func `the blocks before the end run once, and then the session may end`() async throws {
        let handover = try handover()
        let log = Log()
        try handover.willEnd { deadline in log.add(deadline > .now ? "saved" : "late") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        #expect(!device.calls.contains(.readyToEnd))
        device.announceEnd(within: .seconds(60))
        await device.reached(.readyToEnd)
        #expect(log.lines == ["saved"])
    }

    @Test func `unsaved work delays the end until it is saved`() async throws {
        device.signIn(amara)
        let handover = try handover()
        let prepared = Log()
        try handover.willEnd { _ in prepared.add("prepared") }
        handover.hasUnsavedWork = true
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        #expect(await changes.next()?.current == amara.account)
        await device.reached(.unsavedWork)
        #expect(device.hasUnsavedWork && handover.hasUnsavedWork)
        device.announceEnd(within: .seconds(60))
        handover.isActive()
        await device.reached(.activity)
        #expect(!device.calls.contains(.readyToEnd))
        handover.hasUnsavedWork = false
        await device.reached(.readyToEnd)
        #expect(!device.hasUnsavedWork && prepared.lines == ["prepared"])
    }

    @Test func `a process has at most sixteen blocks before the end`() async throws {
        let handover = try handover()
        let log = Log()
        for number in 0..<16 { try handover.willEnd { _ in log.add("\(number)") } }
        #expect(throws: HandoverError(code: .blocksTooMany)) { try handover.willEnd { _ in log.add("another") } }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        device.signIn(amara)
        #expect(await worker(changes)?.current == amara.account)
        device.announceEnd(within: .seconds(60))
        await device.reached(.readyToEnd)
        #expect(Set(log.lines) == Set((0..<16).map { "\($0)" }))
    }

    @Test func `a block that hangs holds up no eraser and no reader, and is not started again`() async throws {
        let handover = try handover()
        let log = Log()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        try handover.willEnd { _ in
            log.add("prepared")
            starting.yield()
            for await _ in release {}
        }
        try handover.eraser("notes") { _ in log.add("erased") }
        let changes = try handover.changes(for: "window").makeAsyncIterator()
        for _ in 0..<2 {
            device.signIn(amara)
            #expect(await worker(changes)?.current == amara.account)
            device.announceEnd(within: .seconds(60))
            for await _ in started { break }
            starting.yield()
            device.signOut()
            #expect(await changes.next()?.kind == .signedOut(previous: amara.account))
        }
        device.signIn(bo)
        #expect(await worker(changes)?.current == bo.account)
        #expect(log.lines == ["prepared", "erased", "erased"] && !device.calls.contains(.readyToEnd))
        releasing.finish()
    }

    @Test func `an application that may not use the broker takes no part`() throws {
        let configuration = MSALPublicClientApplicationConfig(
            clientId: "app", redirectUri: "msauth.org.example.app://auth", authority: nil)
        configuration.bypassRedirectURIValidation = true
        let application = try device.application(configuration)
        #expect(throws: HandoverError(code: .brokerSwitchedOff)) { try Handover(application) }
    }
}

/// What the blocks of a test did, in order.
private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    var lines: [String] { entries.withLock { $0 } }
    func add(_ line: String) { entries.withLock { $0.append(line) } }
}

private struct Unexpected: Error {
    let value: String
    init(_ value: some Any) { self.value = "\(value)" }
}
