// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import BrokerIPC
import BrowserPolicies
import DeviceHTTPS
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Glibc
import HTTPTypes
import Logging
import MDMClient
import MDMProtocol
import MDMServer
import Redaction
import Synchronization
import TestSupport
import Testing

/// Tests the device's agent against the router of the real server.
@Suite struct AgentTests: AgentSteps {
    @Test func `a device is enrolled, made shared by its MDM, and personal again when the profile goes`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                #expect(agent.settings == .none)
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                let profile: MDMAdmin.Profile = try await fixture.call(
                    .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.baton.test"]))
                let _: MDMAdmin.Command = try await fixture.call(
                    .put, "/devices/tablet-1/profiles/\(profile.identifier)")
                try await fixture.register("a worker's app", bundleIdentifier: "com.contoso.rounds")
                let rounds: MDMAdmin.Configuration = [
                    "clientId": .string("c-1"), "redirectUri": .string("msauth.com.contoso.rounds://auth"),
                ]
                let app = MDMAdmin.PushedApp(configuration: rounds)
                let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/apps/com.contoso.rounds", app)
                try await agent.checkIn()

                let registered = RegisteredApp(
                    bundleID: "com.contoso.rounds", clientID: "c-1", redirectURI: "msauth.com.contoso.rounds://auth")
                var settings = ManagedSettings(
                    enrolled: true, brokerManaged: true, profileShared: true, appConfigurationShared: true,
                    apps: [registered], installed: ["com.contoso.rounds", "org.baton.authenticator"])
                settings.singleSignOn.urls = try #require(agent.state.extensions.first).urls
                #expect(agent.settings == settings)
                #expect(settings.singleSignOn.urls.count == 10)
                let package = try #require(agent.state.apps["org.baton.authenticator"])
                #expect(try AtomicFile(path: package.path).read() == TestMDM.program("the broker's package"))
                let seen: MDMAdmin.Device = try await fixture.call(.get, "/devices/tablet-1")
                #expect(seen.profiles.contains { $0.identifier == profile.identifier && $0.uuid == profile.uuid })
                #expect(seen.apps.map(\.state) == ["Managed", "Managed"])
                #expect(seen.apps.map(\.hasConfiguration) == [true, true])
                #expect(seen.waiting == 0)
                let states = try await fixture.commands("tablet-1").map(\.state)
                #expect(Set(states) == ["acknowledged"])

                let _: MDMAdmin.Command = try await fixture.call(
                    .delete, "/devices/tablet-1/profiles/\(profile.identifier)")
                try await agent.checkIn()
                #expect(agent.settings.profileShared == false)
                #expect(agent.settings.brokerManaged)
                let off = "/devices/tablet-1/apps/org.baton.authenticator/configuration"
                let _: MDMAdmin.Command = try await fixture.call(.delete, off)
                try await agent.checkIn()
                #expect(agent.settings.appConfigurationShared == false)
            }
        }
    }

    @Test
    func `a session policy that no device can apply fails the command, and the former policy stays`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                func push(_ sessionPolicy: [String: MDMAdmin.Configuration.Value]) async throws {
                    let configuration: MDMAdmin.Configuration = [
                        "sharedDeviceMode": .boolean(true), "sessionPolicy": .dictionary(sessionPolicy),
                    ]
                    let app = MDMAdmin.PushedApp(configuration: configuration)
                    let _: MDMAdmin.Command = try await fixture.call(
                        .put, "/devices/tablet-1/apps/org.baton.authenticator", app)
                    try await agent.checkIn()
                }
                try await push(["idle": .integer(300), "shiftEnds": .array([.string("14:00")])])
                var wishes = SessionPolicyOverride()
                try wishes.set(.idle, 300)
                try wishes.setShiftEnds(["14:00"])
                #expect(agent.settings.sessionPolicy == wishes && agent.settings.sessionPolicyError == nil)

                try await push(["idle": .integer(600), "shiftEnd": .string("14:00")])
                let refused = try await fixture.commands("tablet-1").filter { $0.state == "error" }
                #expect(refused.map { $0.errors.map(\.code) } == [[10]])
                #expect(agent.settings.sessionPolicy == wishes && agent.settings.appConfigurationShared)
            }
        }
    }

    @Test func `an app's configuration with which no app could be served fails the command, and the former stays`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                func push(_ app: String, client: String, folder: String) async throws {
                    let configuration: MDMAdmin.Configuration = [
                        "clientId": .string(client), "redirectUri": .string("msauth.\(app)://auth"),
                        "dataFolders": .array([.string(folder)]),
                    ]
                    let _: MDMAdmin.Command = try await fixture.call(
                        .put, "/devices/tablet-1/apps/\(app)", MDMAdmin.PushedApp(configuration: configuration))
                    try await agent.checkIn()
                }
                for app in ["com.contoso.rounds", "com.contoso.checkout"] {
                    try await fixture.register("a worker's app", bundleIdentifier: app)
                }
                try await push("com.contoso.rounds", client: "c-1", folder: "/home/kiosk/rounds")
                let before = agent.settings
                try await push("com.contoso.checkout", client: "c-2", folder: "/home/kiosk/rounds/data")
                try await push("com.contoso.checkout", client: "C-1", folder: "/home/kiosk/checkout")
                #expect(agent.settings == before && before.apps.count == 1)
                let refused = try await fixture.commands("tablet-1").filter { $0.state == "error" }.flatMap(\.errors)
                #expect(refused.map(\.code) == [10, 10])
                let text = refused.map(\.message).joined(separator: " ")
                for name in ["/home/kiosk/rounds/data", "com.contoso.rounds", "com.contoso.checkout"] {
                    #expect(text.contains(name), "\(text)")
                }
                try await push("com.contoso.checkout", client: "c-2", folder: "/home/kiosk/checkout")
                #expect(agent.settings.apps.count == 2)
            }
        }
    }

    @Test func `a package with the wrong digest is not installed and is reported as failed once`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                wire.spoilsPackages.withLock { $0 = true }
                try await push(broker: fixture)
                let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
                try await agent.checkIn()
                let installation = try #require(try await fixture.changes("tablet-1").last)
                #expect(installation.state == "error")
                #expect(installation.errors.map(\.code) == [6])
                let seen: MDMAdmin.Device = try await fixture.call(.get, "/devices/tablet-1")
                #expect(seen.apps.map(\.state) == ["Failed"])
                #expect(agent.settings.brokerManaged == false)
                #expect(try device(fixture).appending("apps").names() == [])
                #expect(try device(fixture).appending("incoming").names() == [])
                let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
                try await agent.checkIn()
                #expect(try await fixture.call(.get, "/devices/tablet-1", as: MDMAdmin.Device.self).apps.isEmpty)
            }
        }
    }

    @Test func `a result whose answer was lost is sent again byte for byte, even by the next process`() async throws {
        try await TestMDM.with { fixture in
            let lost = Mutex<[UInt8]?>(nil)
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                // The agent sends Idle and a result. The answer to the result is lost.
                let count = wire.sent.withLock { $0.count }
                wire.lostPut.withLock { $0 = count + 2 }
                let error = await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                #expect(error?.code == .unreachable)
                lost.withLock { $0 = wire.sent.withLock { $0.last } }
            }
            try await withAgent(fixture) { agent, wire in
                #expect(agent.settings.brokerManaged)
                try await agent.checkIn()
                let first = try #require(wire.sent.withLock { $0.first })
                #expect(first == lost.withLock { $0 })
                let result = try CommandResult(propertyList: PropertyList(xml: first))
                #expect(result.answer == .installation(identifier: "org.baton.authenticator", state: .managed))
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a device during a sign-in or sign-out answers NotNow, and checks in again by itself`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                agent.session(is: .changing)
                try await push(broker: fixture)
                try await agent.checkIn()
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["notNow"])
                #expect(agent.settings.brokerManaged == false)
                let count = wire.sent.withLock { $0.count }
                agent.session(is: .held)
                // This call runs only after the work that the session's change queued.
                await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: []) }
                #expect(wire.sent.withLock { $0.count } > count)
                #expect(agent.settings.brokerManaged)
                let states = try await fixture.commands("tablet-1").map(\.state)
                #expect(Set(states) == ["acknowledged"])
            }
        }
    }

    @Test func `a device that was removed by its server keeps no data of the enrollment`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                try await agent.checkIn()
                try await fixture.raw(.delete, "/devices/tablet-1")
                let error = await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                #expect(error?.code == .unrecognized)
                #expect(agent.settings == .none)
                #expect(agent.state.profiles.isEmpty)
                #expect(try device(fixture).names() == ["state.json"])
            }
        }
    }

    @Test func `unenrolling notifies the server and removes all, and the device can enroll again`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                try await agent.unenroll()
                #expect(agent.settings == .none)
                let all: [MDMAdmin.Device] = try await fixture.call(.get, "/devices")
                #expect(all.map(\.state) == ["left"])
                try await enrolled(agent, fixture)
                #expect(
                    try await fixture.call(.get, "/devices", as: [MDMAdmin.Device].self).map(\.udid) == all.map(\.udid))
            }
        }
    }

    @Test func `a device is marked as managed before its server is told, and until all is undone`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                let marks = Mutex<[Bool?]>([])
                wire.beforePut.withLock { $0 = { marks.withLock { $0.append(try? isMarked(fixture)) } } }
                #expect(try !isMarked(fixture))
                try await enrolled(agent, fixture)
                #expect(Set(marks.withLock(\.self)) == [true])
                #expect(try isMarked(fixture))
                var mode = stat()
                #expect(unsafe stat(marker(fixture).path, &mode) == 0 && mode.st_mode & 0o777 == 0o644)
                agent.session(is: .held)
                try await agent.unenroll()
                // The marker stays until the worker is signed out.
                #expect(try isMarked(fixture))
                agent.session(is: .changing)
                agent.session(is: .free)
                await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                #expect(try !isMarked(fixture))
            }
        }
    }

    @Test func `a device that unenrolls while a check-in is due is not marked as managed forever`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                agent.session(is: .changing)
                try await push(broker: fixture)
                try await agent.checkIn()
                try await agent.unenroll()
                #expect(try isMarked(fixture))
                agent.session(is: .free)
                // This call runs only after the work that the session's change queued.
                await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: []) }
                #expect(try !isMarked(fixture))
            }
        }
    }

    @Test func `a start restores the marker of a managed device, and removes that of an unmanaged one`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in try await enrolled(agent, fixture) }
            _ = try AtomicFile(path: marker(fixture).path).remove()
            try await withAgent(fixture) { agent, _ in
                try agent.declare()
                #expect(try isMarked(fixture))
                agent.session(is: .free)
                try await agent.checkIn()
                #expect(try isMarked(fixture))
                try await agent.unenroll()
            }
            // The state after a crash between the removal of the record and the removal of the marker.
            try AtomicFile(path: marker(fixture).path).replace(with: [])
            try await withAgent(fixture) { agent, _ in
                try agent.declare()
                agent.session(is: .free)
                await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                #expect(try !isMarked(fixture))
            }
        }
    }

    @Test func `a device that cannot be marked is not enrolled, and an enrolled one is not served`() async throws {
        try await TestMDM.with { fixture in
            try AtomicFile(path: fixture.folder.path + "/public").replace(with: [])
            try await withAgent(fixture) { agent, _ in
                let profile = try await fixture.enrollmentProfile(named: "tablet-1")
                let error = await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: profile) }
                #expect(error?.code == .storage)
                #expect(agent.settings == .none)
                _ = try AtomicFile(path: fixture.folder.path + "/public").remove()
                try await agent.enroll(profile: profile)
            }
            _ = try fixture.folder.appending("public").removeTree()
            try AtomicFile(path: fixture.folder.path + "/public").replace(with: [])
            try await withAgent(fixture) { agent, _ in #expect(throws: FileError.self) { try agent.declare() } }
        }
    }

    @Test func `a profile that is used, damaged, or not for enrolling is refused and leaves no trace`() async throws {
        try await TestMDM.with { fixture in
            let used = try await fixture.enrollmentProfile(named: "tablet-1")
            #expect(try await HandDevice(fixture, profile: used).authenticate() == 200)
            try await withAgent(fixture) { agent, _ in
                let sso = try Profile.sharedDeviceSSO(
                    tenant: try #require(UUID(uuidString: TestMDM.tenant)), organization: "Contoso"
                ).xml()
                for profile in [used, sso, Array("bplist00".utf8), []] {
                    await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: profile) }
                    #expect(agent.settings == .none)
                }
            }
        }
    }

    @Test func `only one profile decides about the browser, and a second one is not installed`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                func add(_ name: String, blocks pattern: String) async throws {
                    let payload = Payload(
                        identifier: "\(name).settings", uuid: UUID().uuidString,
                        content: .browser(BrowserPayload(blockedAddresses: [pattern])))
                    let profile = try Profile(identifier: name, uuid: UUID().uuidString, payloads: [payload]).xml()
                    let _: MDMAdmin.Profile = try await fixture.call(
                        .post, "/profiles", MDMAdmin.NewProfile.file(Data(profile).base64EncodedString()))
                }
                #expect(agent.settings.browser == .standard)
                try await add("com.contoso.browser", blocks: "example.org")
                try await add("com.contoso.other", blocks: "example.net")
                // Both profiles are queued before the device has either of them, so the device itself must refuse one
                // of them.
                for name in ["com.contoso.browser", "com.contoso.other"] {
                    let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/profiles/\(name)")
                }
                try await agent.checkIn()
                let decided = try BrowserConfiguration(blocked: [AddressPattern("example.org")])
                #expect(agent.settings.browser == decided)
                #expect(agent.state.profiles["com.contoso.other"] == nil)
                let _: MDMAdmin.Command = try await fixture.call(
                    .delete, "/devices/tablet-1/profiles/com.contoso.browser")
                try await agent.checkIn()
                #expect(agent.settings.browser == .standard)
            }
        }
    }

    @Test func `the MDM's home screen is published to every user of the device, and no other user can change it`()
        async throws
    {
        try await TestMDM.with { fixture in
            let file = AtomicFile(path: fixture.folder.path + "/public/home-screen.json")
            func published() throws -> HomeConfiguration? {
                try file.read(limit: 2 << 20).map(HomeConfiguration.init(published:))
            }
            func push(_ payload: HomeScreenPayload, to agent: MDMClientService) async throws {
                try await pushHomeScreen(payload, fixture)
                try await agent.checkIn()
            }
            let payload = HomeScreenPayload(
                organisation: "Contoso", logo: TestImage.png,
                tiles: [.init(title: "Intranet", page: "https://intra.contoso.example/", icon: TestImage.png)])
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                #expect(try agent.settings.homeScreen == nil && published() == nil)
                try await push(payload, to: agent)
                #expect(try published() == payload.configuration())
                let first = try #require(agent.settings.homeScreen)
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o644)
                #expect(await agent.findings.map(\.code).contains("home_screen_published"))
                // A new version of the profile has another text, so the version of the home screen's configuration
                // changes.
                var other = payload
                other.organisation = "Contoso Hospital"
                try await push(other, to: agent)
                #expect(agent.settings.homeScreen != first)
                #expect(try published()?.organisation == "Contoso Hospital")
            }
            // The leftovers of a crash are repaired before the broker serves apps.
            try file.replace(with: [])
            try await withAgent(fixture) { agent, _ in
                try agent.declare()
                #expect(try published()?.organisation == "Contoso Hospital")
                let _: MDMAdmin.Command = try await fixture.call(
                    .delete, "/devices/tablet-1/profiles/com.contoso.home")
                try await agent.checkIn()
                #expect(try agent.settings.homeScreen == nil && published() == nil)
                try await push(payload, to: agent)
                try await agent.unenroll()
                #expect(try agent.settings.homeScreen == nil && published() == nil)
            }
        }
    }

    @Test func `a home screen that cannot be published blocks nothing, is reported, and is retried`()
        async throws
    {
        try await TestMDM.with { fixture in
            let path = fixture.folder.path + "/public/home-screen.json"
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                // A folder that is not empty cannot be replaced by a file.
                try FileManager.default.createDirectory(atPath: path + "/in", withIntermediateDirectories: true)
                try await pushHomeScreen(HomeScreenPayload(organisation: "Contoso"), fixture)
                try await agent.checkIn()
                #expect(agent.state.profiles["com.contoso.home"] != nil)
                #expect(agent.settings.homeScreen == nil)
                #expect(await agent.findings.map(\.code).contains("home_screen_unpublished"))
                try FileManager.default.removeItem(atPath: path)
                let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
                try await agent.checkIn()
                #expect(agent.settings.homeScreen != nil)
                #expect(await agent.findings.map(\.code).contains("home_screen_published"))
            }
        }
    }

    /// Queues the installation of a profile with this payload, in place of the former profile.
    private func pushHomeScreen(_ payload: HomeScreenPayload, _ fixture: TestMDM) async throws {
        let content = Payload(
            identifier: "com.contoso.home.screen", uuid: UUID().uuidString, content: .homeScreen(payload))
        let profile = try Profile(identifier: "com.contoso.home", uuid: UUID().uuidString, payloads: [content]).xml()
        let _: MDMAdmin.Profile = try await fixture.call(
            .post, "/profiles?replace=true", MDMAdmin.NewProfile.file(Data(profile).base64EncodedString()))
        let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/profiles/com.contoso.home")
    }

    @Test func `a server that repeats itself does not keep the device busy forever`() async throws {
        try await TestMDM.with { fixture in
            let profile = try await fixture.enrollmentProfile(named: "tablet-1")
            for command in [Command.removeProfile(identifier: "none"), .installProfile([])] {
                let server = StubbornServer(command: CommandRequest(uuid: "again", command: command))
                var configuration = configuration(fixture, wire: .init())
                configuration.connect = { _, _ in server }
                let folder = fixture.folder.appending(UUID().uuidString)
                try await withAgent(
                    try MDMClientService(directory: folder, configuration: configuration, logger: quiet)
                ) {
                    agent in
                    try await agent.enroll(profile: profile)
                    let error = await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                    #expect(error?.code == .serverRefused)
                }
            }
        }
    }

    /// A server that answers everything except check-ins with the same command.
    private struct StubbornServer: HTTPSending {
        let command: CommandRequest

        func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
            let isCheckIn = request.headers.contains { $0.value == CheckInMessage.mediaType }
            return HTTPSClient.Response(
                status: 200, headers: [], body: isCheckIn ? [] : try command.propertyList.xml())
        }

        func download(
            _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
        ) async throws -> Int { 404 }
    }

    @Test func `an unreadable record is an error, and never means "not managed"`() async throws {
        try await TestMDM.with { fixture in
            try device(fixture).make()
            try device(fixture).file("state.json").replace(with: Array("{".utf8))
            #expect(throws: DeviceStateDamaged.self) { try agent(fixture, wire: .init()) }
        }
    }
}
