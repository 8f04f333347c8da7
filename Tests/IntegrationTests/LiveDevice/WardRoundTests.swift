// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The sample app with a window, as people use it.
    @Suite struct WardRoundTests {
        private let note = "Bed 4: half a litre"
        private let draft = "Ask about the night"

        @Test
        func `a worker's texts are gone from window, memory and folder once the next worker is signed in`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try live.person("Amara")
            try await WardRound.with(live) { window in
                try await signIn("Amara", at: window, live)
                try await window.person("type", note)
                try await window.person("key", "Return")
                try await window.person("reads", note)
                try await window.person("type", draft)
                try await window.person("reads", draft)
                #expect(try window.files.count == 1)

                // As a control, the same search finds the signed-in worker's data. Memory is not searched for the name:
                // Swift stores short texts without an allocation, even on stacks, which nobody overwrites.
                let traces = ["user name": amara.userName, "note": note, "draft": draft]
                let memory = ["--process", "window=\(window.pid)", "--surface", "files=" + live.path("apps/4/data")]
                try await live.search(
                    traces,
                    memory + ["--expect-hit", "window=" + traces.keys.sorted().joined(separator: ",")]
                        + ["--expect-hit", "files=note"])
                let tokens = try await live.harvest()
                #expect(!tokens.isEmpty)

                try await handover(to: "Bo", at: window, live)
                let texts = try await window.person("texts")
                for trace in [amara.displayName] + traces.values {
                    #expect(!texts.contains(trace), "the window has \(trace)")
                }
                #expect(try window.files.isEmpty)
                try await live.search(traces.merging(tokens) { mine, _ in mine }, memory + ["--expect-none"])
            }
        }

        @Test func `the next worker can neither paste nor redo the former worker's text`() async throws {
            let live = try await LiveEnvironment.ready()
            try await WardRound.with(live) { window in
                try await signIn("Amara", at: window, live)
                try await window.person("type", draft)
                try await window.person("key", "ctrl+a", "ctrl+c")
                try await window.person("reads", draft)
                #expect(try await window.clipboard() == draft)
                try await handover(to: "Bo", at: window, live)
                #expect(try await window.clipboard() == "")
                try await window.person("key", "ctrl+z", "ctrl+v", "shift+Insert")
                try await window.person("type", note)
                try await window.person("reads", note)
                #expect(try await !window.person("texts").contains(draft))
            }
        }

        @Test func `the keyboard alone is enough to sign in, write and sign out`() async throws {
            let live = try await LiveEnvironment.ready()
            try await WardRound.with(live) { window in
                try await window.person("at", "Sign in")
                try live.seat("Bo")
                try await window.person("key", "Return")
                try await window.person("at", "New note")
                try live.leave()
                try await window.person("type", note)
                try await window.person("tab", "Sign out")
                try await window.person("tab", "New note")
                try await window.person("key", "Tab", "space")
                try await window.person("reads", note)
                try await window.person("tab", "Sign out")
                try await window.person("key", "space")
                try await window.person("at", "Sign in")
                #expect(try await !window.person("texts").contains(note))
                #expect(try window.files.isEmpty)
                #expect(try await live.app(1).accounts().current == nil)
            }
        }

        @Test func `a window that becomes active is covered until the broker has said who is signed in`() async throws {
            let live = try await LiveEnvironment.ready()
            try await WardRound.with(live) { window in
                try await signIn("Amara", at: window, live)
                try await window.person("type", draft)
                try await window.person("reads", draft)
                try await window.person("leave")
                let session = try live.sessionProcess()
                session.send(SIGSTOP)
                defer { session.send(SIGCONT) }
                try await window.person("return")
                try await window.person("away", "New note")
                try await window.person("type", "not mine")
                session.send(SIGCONT)
                // The same worker continues the line that they were writing.
                try await window.person("at", "New note")
                try await window.person("type", ", and about the pain")
                try await window.person("reads", draft + ", and about the pain")
                #expect(try await !window.person("texts").contains("not mine"))
            }
            try await live.settle()
        }

        @Test(arguments: [SIGKILL, SIGSTOP])
        func `a note is gone when the device is ready, although its app was killed or stopped`(signal: Int32)
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let other = try live.app(1)
            try await WardRound.with(live) { window in
                try await signIn("Amara", at: window, live)
                try await window.person("type", note)
                try await window.person("key", "Return")
                try await window.person("reads", note)
                #expect(try window.files.count == 1)
                window.send(signal)
                try await other.signOut(#require(try await other.accounts().current))
                #expect(try live.names(in: "apps/4/data") == [])
                // The agent ends even a stopped process, which could otherwise have written the note again.
                try await window.hasEnded()
            }
            let item = try await live.newestReceipt(says: "app:org.baton.examples.wardround")
            #expect(item?.result == "done" && item?.grade == "reported" && item?.observer == "agent")
            #expect(try await live.status().lockedApps.isEmpty)
            try await FolderWatch(live.path("trash")).until("an empty trash") { try live.names(in: "trash") == [] }
            // The next run is not locked, and shows the next worker nothing of the note.
            try await WardRound.with(live) { window in
                try await signIn("Bo", at: window, live)
                #expect(try await !window.person("texts").contains(note))
            }
            try await live.settle()
        }

        @Test func `an app whose folder cannot be taken away is locked, and the receipt and the doctor say so`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let other = try live.app(1)
            let (data, away) = (live.path("apps/4/data"), live.path("apps/4/elsewhere"))
            try await WardRound.with(live) { window in
                try await signIn("Amara", at: window, live)
                try await window.person("type", note)
                try await window.person("key", "Return")
                try await window.person("reads", note)
                window.send(SIGKILL)
                try FileManager.default.moveItem(atPath: data, toPath: away)
                try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: away)
                try await other.signOut(#require(try await other.accounts().current))
            }
            let app = "org.baton.examples.wardround"
            #expect(try await live.newestReceipt(says: "app:" + app)?.result == "failed")
            #expect(try await live.status().lockedApps == [app])
            #expect(try await live.finding("app_locked")?.message.contains("data_not_a_folder") == true)
            // After the remedy, the app erases its own data at its next start, before it is told of the next worker.
            try FileManager.default.removeItem(atPath: data)
            try FileManager.default.moveItem(atPath: away, toPath: data)
            try await live.signIn("Bo", through: other)
            try await WardRound.with(live) { window in
                try await window.person("reads", live.person("Bo").displayName)
                #expect(try window.files.isEmpty)
            }
            try await live.settle()
            #expect(try await live.status().lockedApps.isEmpty)
        }

        /// Signs the worker out in another app, and signs the next worker in.
        private func handover(to givenName: String, at window: WardRound, _ live: LiveEnvironment) async throws {
            let other = try live.app(1)
            try await other.signOut(#require(try await other.accounts().current))
            try await live.signIn(givenName, through: other)
            try await window.person("reads", live.person(givenName).displayName)
            try await window.person("at", "New note")
        }

        private func signIn(_ givenName: String, at window: WardRound, _ live: LiveEnvironment) async throws {
            try await window.person("at", "Sign in")
            try live.seat(givenName)
            try await window.person("press", "Sign in")
            try await window.person("reads", live.person(givenName).displayName)
            try await window.person("at", "New note")
            try live.leave()
        }
    }
}
