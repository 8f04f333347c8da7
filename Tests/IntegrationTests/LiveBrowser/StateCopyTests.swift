// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveBrowser {
    /// An attacker copies the whole state folder, including the device's key files, at any step of a session. After the
    /// sign-out, the attacker cannot decrypt anything in the copy, because the session's key was never on the disk.
    @Suite struct StateCopyTests {
        @Test func `no copy of the state opens anything after the sign-out, whenever it was made`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let manager = try live.serviceManager()
            // The broker dies during the sign-out, so that the state of that moment can be copied, too.
            try await live.start(.broker, by: manager, dyingAt: .keyDestroyed)
            try await live.awaitAgent()
            var copies = try StateCopies(live)
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            try await copies.take("signed-in")
            let key = try bytes(of: try #require(try manager.kept.first))
            let canaries = try await canaries(of: amara, live)
            try await copies.take("tokens")

            // The session process is started again with the same key, and gets a new token.
            let session = try live.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            _ = try await app.token(of: amara, refreshed: true)
            try await copies.take("resumed")
            let listener = try RawApp(live)
            let epoch = try await listener.greet(wantsEvents: true).epoch
            // The answer, if any, comes from the next broker.
            async let answer = try? app.signOut(amara)
            #expect(try await listener.answer() == .message(.event(.willEnd(epoch, milliseconds: 500))))
            try await copies.take("ending")
            try await live.awaitEnd(of: .broker)
            try await copies.take("key-destroyed")

            #expect(["signed-in", "tokens", "resumed", "ending"].allSatisfy(copies.holdsSession))
            try await live.start(.broker, by: manager)
            try await live.settle()
            _ = await answer
            try await copies.take("signed-out")
            for step in copies.steps {
                try copies.expectNothing(in: step, of: try live.person("Amara").userName, key: key)
            }
            try await live.finds(none: canaries, in: ["copies": copies.folder])
            // With any of these copies as its state, the broker signs nobody in. The server is not running here,
            // because it would report that the session has ended.
            for program in [LiveEnvironment.Program.broker, .server] { try await live.kill(program) }
            for step in copies.steps { try await giveNobody(copies.path(of: step), live) }
            try copies.remove()
        }

        @Test func `a copy that was made after a renewal can open nothing after the sign-out`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                // The PRT gets a short lifetime, so it is renewed at once.
                try lie("/token .*epoch_id", ["brief:issue"])
                let renewals = "primary refresh token was renewed"
                let before = try live.log(of: .broker).components(separatedBy: renewals).count - 1
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let key = try await live.sessionKey()
                try await live.log(of: .broker, says: renewals, times: before + 1)
                var copies = try StateCopies(live)
                try await copies.take("renewed")
                #expect(copies.holdsSession(in: "renewed"))
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.signOut(amara))
                let userName = try live.person("Amara").userName
                try copies.expectNothing(in: "renewed", of: userName, key: key)
                try copies.remove()
            }
        }

        /// Runs the broker with a copy, including its keys, as its state. Expects that nobody is signed in.
        private func giveNobody(_ copy: String, _ live: LiveEnvironment) async throws {
            let (device, aside) = (live.path("device"), live.path("aside"))
            try FileManager.default.moveItem(atPath: device, toPath: aside)
            try FileManager.default.copyItem(atPath: copy, toPath: device)
            try await live.start(.broker)
            try await live.awaitAgent()
            try await live.settle()
            #expect(try await live.app(1).accounts().current == nil)
            #expect(try live.isClean)
            try await live.kill(.broker)
            try FileManager.default.removeItem(atPath: device)
            try FileManager.default.moveItem(atPath: aside, toPath: device)
        }

        private func canaries(of account: MSALAccount, _ live: LiveEnvironment) async throws -> [String: String] {
            var canaries = try live.canaries(of: "Amara")
            for number in [1, 2] {
                canaries["token \(number)"] = try await live.app(number).token(of: account).accessToken
            }
            return try await canaries.merging(live.harvest()) { mine, _ in mine }
        }

        private func bytes(of file: Descriptor) throws -> [UInt8] {
            try file.withNumber { number in
                try [UInt8](Data(contentsOf: URL(filePath: "/proc/self/fd/\(number)")))
            }
        }
    }
}
