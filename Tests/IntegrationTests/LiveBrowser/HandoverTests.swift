// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Handover
import MSAL
import Synchronization
import TestSupport
import Testing

extension LiveBrowser {
    /// How apps take part in the end of a session, over the real socket.
    @Suite struct HandoverTests {
        @Test func `an app saves before the end and erases after it, on a separate connection`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let saver = try RawApp(live)
            let epoch = try await saver.greet(wantsEvents: true).epoch
            let client = try client(live, 1)
            #expect(try await saver.ask(.epoch, client.entries).get()[.epoch] == epoch.description)
            _ = try await saver.ask(.registerEraser, client.entries).get()

            async let answer = app.signOut(amara)
            #expect(try await saver.answer() == .message(.event(.willEnd(epoch, milliseconds: 500))))
            _ = try await saver.ask(.readyToEnd, client.entries).get()
            #expect(try await saver.answer() == .ended)

            let eraser = try RawApp(live)
            let hello = try await eraser.greet(endedEpoch: epoch)
            #expect(hello.operations == [.acknowledge] && hello.epoch != epoch)
            #expect(try await eraser.refusal(.getDeviceInfo, client.entries).code == .unsupported)
            let other = EraserReport(client: client, epoch: hello.epoch, result: .done)
            #expect(try await eraser.refusal(.acknowledge, other.entries).code == .developerParameter)
            _ = try await eraser.ask(.acknowledge, EraserReport(client: client, epoch: epoch, result: .done).entries)
                .get()
            #expect(try await answer)
            #expect(try await live.status().lockedApps.isEmpty)
            #expect(try live.sessionProcesses().count == 1)
            #expect(try live.isClean)
        }

        @Test func `an app with unsaved work is waited for until it has saved or is gone`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let client = try client(live, 1)
            for saves in [true, false] {
                let amara = try await live.signIn("Amara", through: app)
                let editor = try RawApp(live)
                let epoch = try await editor.greet(wantsEvents: true).epoch
                let (unsaved, saved) = (
                    UnsavedWorkReport(client: client, isUnsaved: true).entries,
                    UnsavedWorkReport(client: client, isUnsaved: false).entries
                )
                let silent = try RawApp(live)
                try await silent.greet()
                #expect(try await silent.refusal(.unsavedWork, unsaved).code == .developerParameter)
                _ = try await editor.ask(.unsavedWork, unsaved).get()
                let bundleID = try #require(live.facts.apps.first { $0.number == 1 }).bundleID
                let status = try await live.deviceState { $0.session?.unsaved == [bundleID] }
                #expect(status.stage == .signedIn)

                async let answer = app.signOut(amara)
                #expect(try await editor.answer() == .message(.event(.willEnd(epoch, milliseconds: 5000))))
                let ending = try await live.deviceState { $0.stage == .ending }
                #expect(ending.session?.unsaved == [bundleID] && ending.session?.saveEnd != nil)
                if saves {
                    // An app may report that it has saved without reporting that it is ready to end.
                    _ = try await editor.ask(.unsavedWork, saved).get()
                } else {
                    editor.close()
                }
                #expect(try await answer)
            }
            let other = try RawApp(live)
            try await other.greet(wantsEvents: true)
            #expect(
                try await other.refusal(.unsavedWork, UnsavedWorkReport(client: client, isUnsaved: true).entries).reason
                    == .nobody)
        }

        @Test func `an app that has not erased is locked for the next worker, and no other app is`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let other = try live.app(2)
            try await live.signIn("Amara", through: other)
            let client = try client(live, 1)
            let holder = try RawApp(live)
            let epoch = try await holder.greet().epoch
            _ = try await holder.ask(.registerEraser, client.entries).get()
            try await live.settle()
            let bundleID = try #require(live.facts.apps.first { $0.number == 1 }).bundleID
            #expect(try await live.status().lockedApps == [bundleID])
            let finding = try await live.finding("app_locked")
            #expect(finding?.verdict == .bad && finding?.message.hasPrefix(bundleID) == true)

            try await live.signIn("Bo", through: other)
            let refusal = try await seen { try await app.accounts() }
            #expect(refusal.text.contains("has not erased the data of a former worker"))
            let asker = try RawApp(live)
            try await asker.greet()
            for operation in [
                BrokerProtocol.Operation.registerEraser, .currentAccount, .getAccounts, .getDefaultAccount,
            ] {
                #expect(try await asker.refusal(operation, client.entries).code == .appLocked, "\(operation)")
            }
            #expect(try await asker.ask(.epoch, client.entries).get()[.endedEpoch] == epoch.description)
            #expect(try await asker.refusal(.acknowledge, done(client, epoch)).code == .developerParameter)

            // The lock survives a crash of the broker.
            try await live.kill(.broker)
            try await live.start(.broker)
            #expect(try await live.status().lockedApps == [bundleID])
            let eraser = try RawApp(live)
            try await eraser.greet(endedEpoch: epoch)
            // An app that uses only MSAL is told when it may ask again.
            _ = try await seen { try await app.accounts() }
            let (unlocked, signal) = AsyncStream.makeStream(of: Void.self)
            let observer = app.notifications.addObserver(forName: .currentAccountChanged, object: nil, queue: nil) {
                _ in
                signal.yield()
            }
            defer { app.notifications.removeObserver(observer) }
            _ = try await eraser.ask(.acknowledge, done(client, epoch)).get()
            var told = unlocked.makeAsyncIterator()
            await told.next()
            #expect(try await app.accounts().current == nil)
            #expect(try await live.status().lockedApps.isEmpty)
            #expect(try await live.finding("app_locked") == nil)
        }

        @Test func `an operator unlocks an app that can no longer erase, after a confirmation`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app, other) = (try live.app(1), try live.app(2))
            try await live.signIn("Amara", through: other)
            let holder = try RawApp(live)
            try await holder.greet()
            // An eraser with a name that the app does not know, for example from its former version.
            var former = try client(live, 1).entries
            former[.eraser] = "former"
            _ = try await holder.ask(.registerEraser, former).get()
            try await live.settle()
            let bundleID = try #require(live.facts.apps.first { $0.number == 1 }).bundleID
            #expect(try await live.status().lockedApps == [bundleID])

            func unlock(_ words: String...) async throws -> CommandRun {
                try await Scratch.with { scratch in
                    try await CommandRun(
                        ["device", "unlock"] + words + ["--runtime-directory", live.path("run")], in: scratch)
                }
            }
            let unconfirmed = try await unlock(bundleID)
            #expect(unconfirmed.code == 1 && unconfirmed.errors.contains("not_confirmed"))
            let unknown = try await unlock("org.example.unknown", "--yes")
            #expect(unknown.code == 1 && unknown.errors.contains("app_not_locked"))
            #expect(try await live.status().lockedApps == [bundleID])
            #expect(try await unlock(bundleID, "--yes").code == 0)
            // The app stays unlocked after a crash.
            try await live.kill(.broker)
            try await live.start(.broker)
            #expect(try await live.status().lockedApps.isEmpty)
            #expect(try await live.finding("app_locked") == nil)
            _ = try await app.accounts()
        }

        @Test func `an app with Handover erases before it is given the next worker, also if it was closed`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let (app, other) = (try live.app(1), try live.app(2))
            let bundleID = try #require(live.facts.apps.first { $0.number == 1 }).bundleID
            let erasures = Erasures()
            do {
                let handover = try Handover(app.application)
                try handover.eraser("notes") { erasures.add($0) }
                try handover.eraser("cache") { _ in }
                let changes = try handover.changes(for: "window").makeAsyncIterator()
                let amara = try await live.signIn("Amara", through: other)
                #expect(try await worker(changes).current == amara)
                try await other.signOut(amara)
                #expect(try await live.status().lockedApps.isEmpty && erasures.count == 1)
                let item = try await live.shownReceipt().items.first { $0.name == "app:" + bundleID }
                #expect(item?.result == "done")
                #expect(await changes.next()?.kind == .signedOut(previous: amara))
                let bo = try await live.signIn("Bo", through: other)
                #expect(try await worker(changes).current == bo)
            }
            try await live.settle()
            #expect(try await live.status().lockedApps == [bundleID] && erasures.count == 1)
            let item = try await live.shownReceipt().items.first { $0.name == "app:" + bundleID }
            #expect(item?.result == "unanswered")

            let amara = try await live.signIn("Amara", through: other)
            let handover = try Handover(live.app(1).application)
            try handover.eraser("notes") { erasures.add($0) }
            try handover.eraser("cache") { _ in }
            let change = try await worker(handover.changes(for: "window").makeAsyncIterator())
            #expect(change.current == amara && change.previous != nil && erasures.count == 2)
            #expect(try await live.status().lockedApps.isEmpty)
            try await live.settle()
            #expect(try await live.status().lockedApps.isEmpty && erasures.count == 3)
        }

        @Test func `unsaved work in Handover delays the end, and its blocks run before the end`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app, other) = (try live.app(1), try live.app(2))
            let bundleID = try #require(live.facts.apps.first { $0.number == 1 }).bundleID
            let handover = try Handover(app.application)
            let (prepared, signal) = AsyncStream.makeStream(of: Void.self)
            try handover.willEnd { _ in signal.yield() }
            let changes = try handover.changes(for: "window").makeAsyncIterator()
            let amara = try await live.signIn("Amara", through: other)
            #expect(try await worker(changes).current == amara)
            handover.hasUnsavedWork = true
            _ = try await live.deviceState { $0.session?.unsaved == [bundleID] }
            async let answer = other.signOut(amara)
            var blocks = prepared.makeAsyncIterator()
            await blocks.next()
            #expect(try await live.deviceState { $0.stage == .ending }.session?.unsaved == [bundleID])
            handover.hasUnsavedWork = false
            #expect(try await answer)
            #expect(await changes.next()?.kind == .signedOut(previous: amara))
        }

        /// Waits until a reader is told of a worker.
        private func worker(_ changes: WorkerChanges.Iterator) async throws -> WorkerChange {
            while let change = await changes.next() {
                if change.current != nil { return change }
            }
            throw TestProblem("the changes have ended")
        }

        @Test func `two hundred apps, fifty of which never read, do not prevent a sign-out`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let client = try client(live, 2)
            var apps: [RawApp] = []
            var epoch: Epoch?
            for _ in 0..<200 {
                let app = try RawApp(live)
                epoch = try await app.greet(wantsEvents: true).epoch
                apps.append(app)
            }
            let ended = try #require(epoch)
            _ = try await apps[0].ask(.registerEraser, client.entries).get()
            let (reading, hanging) = (apps[..<150], apps[150...])
            // The broker may disconnect an app that leaves its answers unread, even while the app sends requests.
            for app in hanging {
                for number in 0..<60 { try? app.send(.request(request(.epoch, client, "\(number)"))) }
            }
            // The broker reports success to the app only if the sign-out ends within ten seconds by the broker's clock.
            async let answer = app.signOut(amara)
            for app in reading {
                #expect(try await app.answer() == .message(.event(.willEnd(ended, milliseconds: 500))))
                try app.send(.request(request(.readyToEnd, client, "ready")))
            }
            try await live.journalLeaves("signedIn")
            let eraser = try RawApp(live)
            try await eraser.greet(endedEpoch: ended)
            _ = try await eraser.ask(.acknowledge, done(client, ended)).get()
            #expect(try await answer)
            #expect(try live.isClean)
            #expect(try await live.status().lockedApps.isEmpty)
        }

        private func client(_ live: LiveEnvironment, _ number: Int) throws -> ClientRequest {
            ClientRequest(clientID: try #require(live.facts.apps.first { $0.number == number }).clientID)
        }

        private func done(_ client: ClientRequest, _ epoch: Epoch) -> FlatMap {
            EraserReport(client: client, epoch: epoch, result: .done).entries
        }

        private func request(_ operation: BrokerProtocol.Operation, _ client: ClientRequest, _ id: String) -> Request {
            Request(id: id, operation: operation, parameters: client.entries, isSilent: true)
        }
    }
}

/// Counts how often an eraser was asked to erase.
private final class Erasures: Sendable {
    private let epochs = Mutex<[SessionEpoch]>([])
    var count: Int { epochs.withLock { $0.count } }
    func add(_ erasure: Erasure) { epochs.withLock { $0.append(erasure.epoch) } }
}
