// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveBrowser {
    /// Who copies the whole state folder at any step of a session, the device's key files with it, opens nothing with it
    /// once the worker has signed out: the session's key never was on the disk.
    @Suite struct StateCopyTests {
        @Test func `no copy of the state opens anything after the sign-out, whenever it was made`() async throws {
            let world = try await World.ready()
            try await world.kill(.broker)
            let manager = try world.serviceManager()
            // It dies in the sign-out, so that what is there in its middle can be copied, too.
            try await world.start(.broker, by: manager, dyingAt: .keyDestroyed)
            try await world.awaitAgent()
            var copies = try StateCopies(world)
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            try await copies.take("signed-in")
            let key = try bytes(of: try #require(try manager.kept.first))
            let canaries = try await canaries(of: amara, world)
            try await copies.take("tokens")

            // The session's process is started again by the same key, and renews what it holds.
            let session = try world.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            _ = try await app.token(of: amara, refreshed: true)
            try await copies.take("resumed")
            let listener = try RawApp(world)
            let epoch = try await listener.greet(wantsEvents: true).epoch
            // Its answer comes, if at all, from the next broker.
            async let answer = try? app.signOut(amara)
            #expect(try await listener.answer() == .message(.event(.willEnd(epoch, milliseconds: 500))))
            try await copies.take("ending")
            try await world.awaitEnd(of: .broker)
            try await copies.take("key-destroyed")

            #expect(["signed-in", "tokens", "resumed", "ending"].allSatisfy(copies.holdsSession))
            try await world.start(.broker, by: manager)
            try await world.settle()
            _ = await answer
            try await copies.take("signed-out")
            for step in copies.steps {
                try copies.expectNothing(in: step, of: try world.person("Amara").userName, key: key)
            }
            try await world.finds(none: canaries, in: ["copies": copies.folder])
            // In the place of the device's own, none of them makes the broker give a worker. Without a server, so that it
            // hears nothing of a past that has ended there.
            for program in [World.Program.broker, .server] { try await world.kill(program) }
            for step in copies.steps { try await giveNobody(copies.path(of: step), world) }
            try copies.remove()
        }

        @Test func `a copy that was made after a renewal opens nothing after the sign-out`() async throws {
            let world = try await World.ready()
            try await world.lied { lie in
                // So given, the worker's token is renewed as soon as it is there.
                try lie("/token .*epoch_id", ["brief:issue"])
                let renewals = "primary refresh token was renewed"
                let before = try world.log(of: .broker).components(separatedBy: renewals).count - 1
                let app = try world.app(1)
                let amara = try await world.signIn("Amara", through: app)
                let key = try await world.sessionKey()
                try await world.log(of: .broker, says: renewals, times: before + 1)
                var copies = try StateCopies(world)
                try await copies.take("renewed")
                #expect(copies.holdsSession(in: "renewed"))
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.signOut(amara))
                let userName = try world.person("Amara").userName
                try copies.expectNothing(in: "renewed", of: userName, key: key)
                try copies.remove()
            }
        }

        /// Has the broker open a copy, keys and all, as its own state.
        private func giveNobody(_ copy: String, _ world: World) async throws {
            let (device, aside) = (world.path("device"), world.path("aside"))
            try FileManager.default.moveItem(atPath: device, toPath: aside)
            try FileManager.default.copyItem(atPath: copy, toPath: device)
            try await world.start(.broker)
            try await world.awaitAgent()
            try await world.settle()
            #expect(try await world.app(1).accounts().current == nil)
            #expect(try world.isClean)
            try await world.kill(.broker)
            try FileManager.default.removeItem(atPath: device)
            try FileManager.default.moveItem(atPath: aside, toPath: device)
        }

        private func canaries(of account: MSALAccount, _ world: World) async throws -> [String: String] {
            var canaries = try world.canaries(of: "Amara")
            for number in [1, 2] {
                canaries["token \(number)"] = try await world.app(number).token(of: account).accessToken
            }
            return try await canaries.merging(world.harvest()) { mine, _ in mine }
        }

        private func bytes(of file: Descriptor) throws -> [UInt8] {
            try file.withNumber { number in
                try [UInt8](Data(contentsOf: URL(filePath: "/proc/self/fd/\(number)")))
            }
        }
    }
}
