// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// A revocation by the server reaches an idle device and signs its worker out as every other trigger does.
    @Suite struct RevocationTests {
        /// An administrator's action on a worker or a device, and the action that undoes it for the tests that follow.
        enum Act: String, CaseIterable {
            case disableUser, newPassword, disableDevice, revokeSessions, revokeSession, eraseUser

            func carryOut(_ live: LiveEnvironment) async throws {
                switch self {
                case .disableUser: try await live.administer("user", "disable", try live.person("Amara").userName)
                case .newPassword: try await live.setPassword(of: "Amara")
                case .revokeSessions:
                    try await live.administer("user", "revoke-sessions", try live.person("Amara").userName)
                case .revokeSession: try await live.administer("session", "revoke", try live.liveSession)
                case .disableDevice: try await live.setDevice(isEnabled: false)
                case .eraseUser: try await live.administer("user", "erase", try live.person("Amara").userName, "--yes")
                }
            }

            func undo(_ live: LiveEnvironment) async throws {
                switch self {
                case .disableUser: try await live.administer("user", "enable", try live.person("Amara").userName)
                case .newPassword, .revokeSessions, .revokeSession: break
                case .disableDevice: try await live.setDevice(isEnabled: true)
                case .eraseUser:
                    let amara = try live.person("Amara")
                    let new = [
                        "userPrincipalName": amara.userName, "displayName": amara.displayName,
                        "givenName": amara.givenName, "mobilePhone": amara.mobilePhone, "password": amara.password,
                    ]
                    let body = String(decoding: try JSONEncoder().encode(new), as: UTF8.self)
                    let added = try live.admin.call("POST", "/identity/tenants/-/users", body)
                    try #require(added.status == 201, "\(added.body)")
                }
            }

            var trigger: String { self == .disableDevice ? "device-disabled" : "server-revocation" }
        }

        /// The server must notify the device, because nothing else ends the session within `LiveEnvironment.silence`.
        /// `scripts/measure/revocation` shows, by the programs' own clocks, that the notification takes less than a
        /// second.
        @Test(arguments: Act.allCases)
        func `a session that the administrator ends is over on the device at once, by push`(act: Act) async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let token = try await app.token(of: amara).accessToken
            #expect(try await live.me(token) == 200)
            let epoch = try await live.epochCounter()

            async let left = live.momentOfLeaving("signedIn")
            try await act.carryOut(live)
            let committed = ContinuousClock.now
            let delay = try await left - committed
            #expect(delay < LiveEnvironment.silence, "\(delay) after the command had ended")
            #expect(try await live.me(token) == 401)
            #expect(try await app.accounts().current == nil)
            try await live.settle()
            #expect(try live.isClean)
            #expect(try await live.epochCounter() == epoch + 1)
            #expect(try live.log(of: .broker).contains("session.trigger=\(act.trigger)"))
            try await act.undo(live)
        }

        @Test func `a device that was offline learns of the end when the server is reachable again`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            try await live.signIn("Amara", through: app)
            // The broker is stopped while the server ends the session, as if it were offline.
            try live.send(SIGSTOP, to: .broker)
            try await live.administer("user", "disable", try live.person("Amara").userName)
            try await live.kill(.server)
            try live.send(SIGCONT, to: .broker)
            try await live.start(.server)
            try await live.journalLeaves("signedIn")
            #expect(try await app.accounts().current == nil)
            try await live.administer("user", "enable", try live.person("Amara").userName)
        }

        @Test func `an unreachable server ends no session`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let epoch = try await live.epochCounter()
            try await live.kill(.server)
            try await live.start(.server)
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
            #expect(try await live.epochCounter() == epoch)
        }

        @Test func `a disabled device reports it with a remedy, remembers it, and recovers once it is enabled`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            try await live.setDevice(isEnabled: false)
            try await live.registration(is: .disabled)
            let status = try await live.status()
            let learnedAt = try #require(status.registration).learnedAt
            let device = try #require(status.deviceID)
            #expect(status.remedy?.contains("baton admin device enable \(device)") == true)
            let said = try await live.baton("device", "status", "--runtime-directory", live.path("run"))
            #expect(said.contains("directory The directory has disabled the device"))
            #expect(said.contains("next      On the server run: baton admin device enable"))

            try live.seat("Amara")
            do {
                _ = try await app.signIn()
                Issue.record("a disabled device signs in")
            } catch {
                let text = "\((error as NSError).userInfo)"
                #expect(text.contains("135011") && text.contains("baton admin device enable"), "\(text)")
            }
            try live.leave()
            let found = try await live.doctor()
            #expect(found.code == 1 && found.output.contains("registration_disabled"), "\(found.output)")

            // Without the server, the device reports the last known state, its time, and that it could not ask again.
            try await live.kill(.broker)
            try await live.kill(.server)
            try await live.start(.broker)
            let remembered = try #require(try await live.status().registration)
            #expect(remembered.state == .disabled && remembered.learnedAt >= learnedAt)
            let offline = try await live.doctor()
            for code in ["registration_disabled", "registration_unknown"] { #expect(offline.output.contains(code)) }

            try await live.start(.server)
            try await live.setDevice(isEnabled: true)
            try await live.registration(is: .good)
            let well = try await live.status()
            #expect(well.registration?.isHealthy == true && well.remedy == nil)
            try await live.awaitAgent()
            let healthy = try await live.doctor()
            #expect(healthy.code == 0 && healthy.output.contains("registration_good"), "\(healthy.output)")
            try await live.signIn("Amara", through: try live.app(1))
            try await live.settle()
        }

        @Test func `a queued command is fetched at once`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.administer("profile", "remove", live.facts.profile, "--device", "ward-7-tablet")
            try await live.shared(false)
            try await live.administer("profile", "push", live.facts.profile, "--device", "ward-7-tablet")
            try await live.shared(true)
            // The record is written before it applies to apps. This check-in waits until the previous check-in is done.
            try await live.ask(.checkIn)
            #expect(try await live.status().mode == "shared")
        }
    }
}

extension LiveEnvironment {
    fileprivate var admin: AdminSocket { AdminSocket(state: path("server")) }

    /// A time in which an idle push channel carries no message: `keepAlive` is 30 s, and the server sends a message
    /// after three quarters of it.
    fileprivate static let silence = Duration.seconds(20)

    /// The id of the only session that has not ended and belongs to a device.
    fileprivate var liveSession: String {
        get throws {
            struct Session: Decodable {
                let id: String
                let device: String?
            }
            let answer = try admin.call("GET", "/identity/tenants/-/sessions")
            let sessions = try JSONDecoder().decode([Session].self, from: Data(answer.body.utf8))
            return try #require(sessions.first { $0.device != nil }).id
        }
    }

    /// The moment at which the journal leaves `state`.
    fileprivate func momentOfLeaving(_ state: String) async throws -> ContinuousClock.Instant {
        try await journalLeaves(state)
        return .now
    }

    /// Waits until the device has stored this registration state.
    func registration(is state: RegistrationStatus.State) async throws {
        try await FolderWatch(path("device")).until("registration: \(state)") { [self] in
            let file = URL(filePath: path("device/registration-status.json"))
            guard let bytes = try? Data(contentsOf: file) else { return false }
            return try JSONDecoder().decode(RegistrationStatus.self, from: bytes).state == state
        }
    }

    /// The exit code and output of `baton doctor --json`.
    func doctor(_ more: String...) async throws -> (code: Int32, output: String) {
        try await Scratch.with { scratch in
            let run = try await CommandRun(
                [
                    "doctor", "--json", "--all", "--runtime-directory", path("run"), "--state", path("device"),
                    "--marker", path("public/managed"),
                ] + more, in: scratch)
            return (run.code, run.output + run.errors)
        }
    }

    func setDevice(isEnabled: Bool) async throws {
        try await administer("device", isEnabled ? "enable" : "disable", "ward-7-tablet")
    }

    /// Sets a user's password to its current value, which still ends their sessions.
    fileprivate func setPassword(of givenName: String) async throws {
        let person = try person(givenName)
        let path = "/identity/tenants/-/users/\(person.userName)/password"
        #expect(try admin.call("PUT", path, #"{"password":"\#(person.password)"}"#).status == 204)
    }

    /// Waits until the device is a shared device, or no longer is.
    fileprivate func shared(_ isShared: Bool) async throws {
        try await FolderWatch(path("device/management")).until("shared: \(isShared)") { [self] in
            let state = try Data(contentsOf: URL(filePath: path("device/management/state.json")))
            return (state.range(of: Data(facts.profile.utf8)) != nil) == isShared
        }
    }
}
