// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// What the broker guarantees to apps at a hand-over, over the real socket: which apps are told that their worker has
    /// left, and which must erase.
    @Suite struct HandoverGuardTests {
        /// One of the environment's apps, for requests that a test writes itself.
        private struct Client {
            let client: ClientRequest
            let bundleID: String
            private let redirectURI: String
            private let authority: String

            init(_ live: LiveEnvironment, _ number: Int) throws {
                let app = try #require(live.facts.apps.first { $0.number == number })
                (bundleID, redirectURI, authority) = (app.bundleID, app.redirectURI, live.facts.authority)
                client = ClientRequest(clientID: app.clientID)
            }

            /// The parameters of a request of this reader.
            func entries(_ reader: String) -> FlatMap {
                var map = client.entries
                map[.reader] = reader
                return map
            }

            /// The parameters of this reader's silent request for a token.
            func token(of account: MSALAccount, _ reader: String) -> FlatMap {
                var request = TokenRequest(
                    client: client, redirectURI: redirectURI, authority: authority, scopes: ["User.Read"])
                request.homeAccountID = account.identifier
                var map = request.entries
                map[.reader] = reader
                return map
            }

            func report(of epoch: Epoch) -> FlatMap {
                EraserReport(client: client, epoch: epoch, result: .done).entries
            }
        }

        private func greeted(_ live: LiveEnvironment) async throws -> RawApp {
            let raw = try RawApp(live)
            try await raw.greet()
            return raw
        }

        /// The current and the previous account, as the broker reports them to a reader of the app.
        private func accounts(_ live: LiveEnvironment, _ parameters: FlatMap) async throws -> CurrentAccount {
            try CurrentAccount(try await greeted(live).ask(.currentAccount, parameters).get())
        }

        /// Signs Amara in through app 2. Afterwards, the broker's cache holds the app's token.
        private func signIn(_ live: LiveEnvironment) async throws -> MSALAccount {
            let app = try live.app(2)
            let amara = try await live.signIn("Amara", through: app)
            _ = try await app.token(of: amara)
            return amara
        }

        @Test func `an app is given a worker or a token only after it is on disk that the app has seen the worker`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try await signIn(live)
            let client = try Client(live, 2)
            let (asker, follower, other) = (try await greeted(live), try await greeted(live), try await greeted(live))
            let bystander = try await greeted(live)
            /// Waits long enough for an answer: until the broker has answered another connection many times.
            func others() async throws {
                for _ in 0..<100 { _ = try await bystander.ask(.getDeviceInfo, client.client.entries).get() }
            }
            func send(_ app: RawApp, _ operation: BrokerProtocol.Operation, _ parameters: FlatMap) throws {
                try app.send(.request(Request(id: "1", operation: operation, parameters: parameters, isSilent: true)))
            }
            // The process that writes to disk is stopped.
            try live.send(SIGSTOP, to: .broker)
            defer { try? live.send(SIGCONT, to: .broker) }
            try send(asker, .currentAccount, client.entries("first"))
            try await others()
            // The same reader asks once more, and another reader asks only for a token.
            try send(follower, .refresh, client.token(of: amara, "first"))
            try send(other, .refresh, client.token(of: amara, "second"))
            try await others()
            #expect(!asker.hasAnswer, "the worker is named before that is on disk")
            #expect(!follower.hasAnswer, "a token is given while the reader's note is being written")
            #expect(!other.hasAnswer, "a token is given before that is on disk")
            try live.send(SIGCONT, to: .broker)
            #expect(try CurrentAccount(try await reply(to: asker)).current?.homeAccountID == amara.identifier)
            for app in [follower, other] { #expect(try await reply(to: app)[.accessToken] != nil) }
        }

        private func reply(to app: RawApp) async throws -> FlatMap {
            guard case .message(.reply(let reply)) = try await app.answer() else { throw TestProblem("no reply") }
            return try reply.outcome.get()
        }

        @Test func `a reader that was given a token from the cache alone is told that its worker has left`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try await signIn(live)
            let client = try Client(live, 2)
            let answer = try await greeted(live).ask(.refresh, client.token(of: amara, "cached")).get()
            #expect(answer[.accessToken] == (try await live.app(2).token(of: amara).accessToken))
            try await live.settle()
            #expect(try await accounts(live, client.entries("cached")).previousHomeAccountID == amara.identifier)
        }

        @Test func `an acknowledgement of an epoch that has not begun does not cover the departure of the worker`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try await signIn(live)
            let client = try Client(live, 2)
            let told = try await accounts(live, client.entries("early"))
            #expect(told.current?.homeAccountID == amara.identifier)
            var random = SystemRandomNumberGenerator()
            let later = Epoch(random: &random, counter: told.epoch.counter + 1)
            var early = Acknowledgement(
                client: client.client, epoch: later, previousHomeAccountID: amara.identifier
            ).entries
            early[.reader] = "early"
            _ = try await greeted(live).ask(.acknowledgeAccount, early).get()
            try await live.settle()
            #expect(try await accounts(live, client.entries("early")).previousHomeAccountID == amara.identifier)
        }

        @Test func `a locked app is refused everything except its erasure`() async throws {
            let live = try await LiveEnvironment.ready()
            let amara = try await signIn(live)
            let client = try Client(live, 1)
            let holder = try RawApp(live)
            let epoch = try await holder.greet().epoch
            _ = try await holder.ask(.registerEraser, client.client.entries).get()
            try await live.settle()
            #expect(try await live.status().lockedApps == [client.bundleID])
            _ = try await signIn(live)
            let asker = try await greeted(live)
            for operation in [
                BrokerProtocol.Operation.currentAccount, .getAccounts, .getDefaultAccount, .registerEraser,
            ] {
                #expect(try await asker.refusal(operation, client.client.entries).code == .appLocked, "\(operation)")
            }
            #expect(try await asker.refusal(.refresh, client.token(of: amara, "")).code == .appLocked)
            let question = try await asker.ask(.epoch, client.client.entries).get()
            #expect(question[.endedEpoch] == epoch.description)
            try await erase(live, client, epoch)
            #expect(try await live.status().lockedApps.isEmpty)
            _ = try await greeted(live).ask(.currentAccount, client.client.entries).get()
        }

        private func erase(_ live: LiveEnvironment, _ client: Client, _ epoch: Epoch) async throws {
            let eraser = try RawApp(live)
            try await eraser.greet(endedEpoch: epoch)
            _ = try await eraser.ask(.acknowledge, client.report(of: epoch)).get()
        }

        @Test func `a process that has erased is asked again only if another one dies that has not`() async throws {
            let live = try await LiveEnvironment.ready()
            _ = try await signIn(live)
            let client = try Client(live, 1)
            let holder = try RawApp(live)
            let epoch = try await holder.greet().epoch
            _ = try await holder.ask(.registerEraser, client.client.entries).get()
            let second = try await registered(live, client)
            try await live.settle()
            try await erase(live, client, epoch)
            // The app stays locked, because its other process has not erased.
            #expect(try await live.status().lockedApps == [client.bundleID])
            let asker = try await greeted(live)
            #expect(try await asker.ask(.epoch, client.client.entries).get()[.endedEpoch] == nil)
            second.kill()
            #expect(try await asker.ends())
            let question = try await greeted(live).ask(.epoch, client.client.entries).get()
            #expect(question[.endedEpoch] == epoch.description)
            try await erase(live, client, epoch)
            #expect(try await live.status().lockedApps.isEmpty)
        }

        /// Starts a second process of the app, which registers the same eraser and then sends nothing more.
        private func registered(_ live: LiveEnvironment, _ client: Client) async throws -> RunningProgram {
            let messages: [ClientMessage] = [
                .hello(ClientHello(clientName: "second", clientVersion: "1")),
                .request(
                    Request(
                        id: "1", operation: .registerEraser, parameters: client.client.entries, isSilent: true)),
            ]
            let frames = messages.map { String(decoding: $0.bytes, as: UTF8.self) }
            return try await RunningProgram.start(
                "/usr/bin/python3", ["-c", Self.secondProcess, live.path("run/broker.sock")] + frames,
                log: "second-\(UInt32.random(in: 0...UInt32.max)).log", in: live.scratch)
        }

        /// Sends frames, reads an answer to each, reports that it is ready, and waits until it is killed.
        private static let secondProcess = """
            import os, signal, socket, sys
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(sys.argv[1])
            stream = connection.makefile("rb")
            for frame in map(str.encode, sys.argv[2:]):
                connection.sendall(len(frame).to_bytes(4, "big") + frame)
                print(stream.read(int.from_bytes(stream.read(4), "big")).decode(), flush=True)
            path = os.environ["NOTIFY_SOCKET"]
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                notify.sendto(b"READY=1", "\\0" + path[1:] if path.startswith("@") else path)
            signal.pause()
            """
    }
}
