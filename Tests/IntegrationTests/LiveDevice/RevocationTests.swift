// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The server's word reaches a device that nobody touches, and signs its worker out as every door does.
    @Suite struct RevocationTests {
        /// What an administrator does about a worker or a device, and what undoes it for the tests that follow.
        enum Act: String, CaseIterable {
            case disableUser, newPassword, disableDevice

            func carryOut(_ world: World) async throws {
                switch self {
                case .disableUser: try await world.administer("user", "disable", try world.person("Amara").userName)
                case .newPassword: try await world.setPassword(of: "Amara")
                case .disableDevice: try await world.setDevice(isEnabled: false)
                }
            }

            func undo(_ world: World) async throws {
                switch self {
                case .disableUser: try await world.administer("user", "enable", try world.person("Amara").userName)
                case .newPassword: break
                case .disableDevice: try await world.setDevice(isEnabled: true)
                }
            }

            var door: String { self == .disableDevice ? "device-disabled" : "server-revocation" }
        }

        @Test(arguments: Act.allCases)
        func `what the administrator ends is over on the device within a second`(act: Act) async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            let token = try await app.token(of: amara).accessToken
            #expect(try await world.me(token) == 200)
            let epoch = try await world.epochCounter()

            async let left = world.momentOfLeaving("signedIn")
            try await act.carryOut(world)
            let committed = ContinuousClock.now
            let delay = try await left - committed
            #expect(delay < .seconds(1), "\(delay) after the command had ended")
            #expect(try await world.me(token) == 401)
            #expect(try await app.accounts().current == nil)
            try await world.settle()
            #expect(try world.isClean)
            #expect(try await world.epochCounter() == epoch + 1)
            #expect(try world.log(of: .broker).contains("session.door=\(act.door)"))
            try await act.undo(world)
        }

        @Test func `a device that could not hear of it learns it when the server is back`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            try await world.signIn("Amara", through: app)
            // The device hears nothing while the server ends the session: the broker stands still, as offline.
            try world.send(SIGSTOP, to: .broker)
            try await world.administer("user", "disable", try world.person("Amara").userName)
            try await world.kill(.server)
            try world.send(SIGCONT, to: .broker)
            try await world.start(.server)
            try await world.journalLeaves("signedIn")
            #expect(try await app.accounts().current == nil)
            try await world.administer("user", "enable", try world.person("Amara").userName)
        }

        @Test func `a server that is away ends nothing`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            let epoch = try await world.epochCounter()
            try await world.kill(.server)
            try await world.start(.server)
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
            #expect(try await world.epochCounter() == epoch)
        }

        @Test func `a command that is queued is fetched at once`() async throws {
            let world = try await World.ready()
            try await world.administer("profile", "remove", world.facts.profile, "--device", "ward-7-tablet")
            try await world.shared(false)
            try await world.administer("profile", "push", world.facts.profile, "--device", "ward-7-tablet")
            try await world.shared(true)
        }
    }
}

extension World {
    fileprivate var admin: AdminSocket { AdminSocket(state: path("server")) }

    /// The moment at which the journal says anything but `state`.
    fileprivate func momentOfLeaving(_ state: String) async throws -> ContinuousClock.Instant {
        try await journalLeaves(state)
        return .now
    }

    fileprivate func setDevice(isEnabled: Bool) async throws {
        guard let device = try await status().deviceID else { throw TestProblem("the device is not joined") }
        let path = "/identity/tenants/-/devices/\(device)"
        #expect(try admin.call("PATCH", path, #"{"accountEnabled":\#(isEnabled)}"#).status == 204)
    }

    /// Sets the password that somebody has already, which ends their sessions all the same.
    fileprivate func setPassword(of givenName: String) async throws {
        let person = try person(givenName)
        let path = "/identity/tenants/-/users/\(person.userName)/password"
        #expect(try admin.call("PUT", path, #"{"password":"\#(person.password)"}"#).status == 204)
    }

    /// Waits until the device is, or is no longer, a shared one.
    fileprivate func shared(_ isShared: Bool) async throws {
        try await FolderWatch(path("device/management")).until("shared: \(isShared)") { [self] in
            let state = try Data(contentsOf: URL(filePath: path("device/management/state.json")))
            return (state.range(of: Data(facts.profile.utf8)) != nil) == isShared
        }
    }
}
