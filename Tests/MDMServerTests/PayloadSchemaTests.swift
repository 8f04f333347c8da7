// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import BrokerIPC
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import HTTPTypes
import MDMClient
import MDMProtocol
import Synchronization
import Testing

/// Checks with `scripts/check/payloads` that server and device follow Apple's schema in everything that they write in
/// Apple's protocol.
@Suite struct PayloadSchemaTests: AgentSteps {
    @Test
    func `all messages of server and device follow Apple's schema, and deviations from it are detected`()
        async throws
    {
        try await TestMDM.with { fixture in
            var messages = try await life(fixture)
            try await addScripted(to: &messages, fixture)
            #expect(
                messages.kinds == [
                    "enrollment", "profile", "command", "check-in", "manifest", "refusal", "result/Idle",
                    "result/InstallProfile", "result/RemoveProfile", "result/ProfileList", "result/Settings",
                    "result/InstallApplication", "result/ManagedApplicationList", "result/DeviceInformation",
                    "result/EraseDevice",
                ])
            let (isClean, findings) = try await messages.check("--complete", in: fixture.folder)
            #expect(isClean, "\(findings)")
            let (isNoticed, damages) = try await messages.check("--damage", in: fixture.folder)
            #expect(isNoticed, "\(damages)")
        }
    }

    @Test func `a device sends its management server what the file of its version says`() async throws {
        let known = try DeviceFixture(version: BrokerVersion.current)
        try await TestMDM.with { fixture in
            var seen: Set<String> = []
            for (kind, bytes) in try await life(fixture).messages {
                guard case .dictionary(let members) = try? PropertyList(xml: bytes), kind != "command" else { continue }
                let shape: (name: String, keys: Set<String>?)
                switch (kind, members["MessageType"], members["Status"]) {
                case ("check-in", .string(let name)?, _): shape = (name, known.checkIns[name])
                case (_, _, .string("Acknowledged")?), (_, _, .string("Idle")?):
                    guard kind.hasPrefix("result/") else { continue }
                    shape = (String(kind.dropFirst(7)), known.results[String(kind.dropFirst(7))])
                default: continue
                }
                #expect(shape.keys == Set(members.keys), "\(shape.name)")
                seen.insert(shape.name)
            }
            // Baton's server never asks for device information; other management servers do.
            #expect(seen.union(["DeviceInformation"]) == Set(known.checkIns.keys).union(known.results.keys))
        }
    }

    /// Each damage must cause the finding listed with it. The findings are listed here so that an error in the
    /// checker's rules cannot hide a finding.
    @Test func `a damaged payload is found, and the finding names the place`() async throws {
        try await TestMDM.with { fixture in
            let sso = try Profile.sharedDeviceSSO(
                tenant: try #require(UUID(uuidString: TestMDM.tenant)), organization: "Contoso")
            let enrollment = try await fixture.enrollmentProfile(named: "tablet-1")
            let push = CommandRequest(uuid: "c", command: .installProfile(try sso.xml()))
            let sent: [(kind: String, bytes: [UInt8])] = [
                ("profile", try sso.xml()), ("enrollment", enrollment), ("command", try push.propertyList.xml()),
                (
                    "check-in",
                    try CheckInMessage.checkOut(.init(udid: "U", topic: "com.apple.mgmt.x")).propertyList.xml()
                ),
                ("result/Idle", try CommandResult(udid: "U", status: .idle).propertyList.xml()),
            ]
            let damages: [(kind: String, old: String, new: String, finding: String)] = [
                (
                    "profile", "<key>ExtensionIdentifier</key>", "<key>ExtensionIdentifer</key>",
                    "PayloadContent[].ExtensionIdentifier: missing"
                ),
                ("profile", "<string>Redirect</string>", "<string>redirect</string>", "PayloadContent[].Type: value"),
                (
                    "profile", "<key>sharedDeviceMode</key>", "<key>SharedDeviceMode</key>",
                    "PayloadContent[].ExtensionData.SharedDeviceMode: unknown"
                ),
                ("profile", "<true/>", "<integer>1</integer>", "PayloadContent[].ExtensionData.sharedDeviceMode: type"),
                ("profile", "<key>URLs</key>", "<key>Urls</key>", "PayloadContent[].Urls: unknown"),
                (
                    "profile", "com.apple.extensiblesso</string>", "com.apple.wifi.managed</string>",
                    "PayloadContent[]: value"
                ),
                (
                    "profile", "<key>ExtensionData</key>",
                    "<key>AuthenticationMethod</key><string>Password</string>"
                        + "<key>ExtensionData</key>", "PayloadContent[].AuthenticationMethod: platform"
                ),
                ("enrollment", "<key>Topic</key>", "<key>topic</key>", "PayloadContent[].Topic: missing"),
                (
                    "enrollment", "<integer>7443</integer>", "<string>7443</string>",
                    "PayloadContent[].AccessRights: type"
                ),
                ("enrollment", "<string>https://mdm", "<string>http://mdm", "PayloadContent[].ServerURL: value"),
                ("enrollment", "com.apple.security.root<", "com.apple.extensiblesso<", "PayloadContent[]: platform"),
                ("command", "InstallProfile", "InstallProfiles", "Command: value"),
                ("command", "<key>Payload</key>", "<key>Profile</key>", "Command.Payload: missing"),
                ("check-in", "<key>Topic</key>", "<key>Topics</key>", "Topic: missing"),
                ("check-in", "<string>CheckOut</string>", "<string>Checkout</string>", "MessageType: value"),
                ("result/Idle", "<string>Idle</string>", "<string>Busy</string>", "Status: value"),
                ("result/Idle", "<key>UDID</key>", "<key>Udid</key>", "UDID: missing"),
            ]
            var messages = RecordedMessages()
            for damage in damages {
                let whole = try #require(sent.first { $0.kind == damage.kind })
                let text = String(decoding: whole.bytes, as: UTF8.self)
                let changed = text.replacing(damage.old, with: damage.new, maxReplacements: 1)
                try #require(changed != text, "\(damage.old) is not in \(damage.kind)")
                messages.add(damage.kind, Array(changed.utf8))
            }
            let (isClean, findings) = try await messages.check(in: fixture.folder)
            #expect(!isClean)
            let lines = findings.split(separator: "\n")
            for (index, damage) in damages.enumerated() {
                #expect(
                    lines.contains { $0.hasPrefix("\(index).plist: \(damage.finding): ") },
                    "\(damage.finding): \(findings)")
            }
        }
    }

    /// Records the life of a device: enrollment, shared mode, inventory, a failed command, renewal and removal.
    private func life(_ fixture: TestMDM) async throws -> RecordedMessages {
        var messages = RecordedMessages()
        let wire = RouterLink.Wire()
        messages.add("enrollment", try await fixture.enrollmentProfile(named: "tablet-0"))
        try await withAgent(try agent(fixture, wire: wire)) { agent in
            try await enrolled(agent, fixture)
            try await fixture.register("the broker's package")
            try await push(broker: fixture)
            try await fixture.register("a worker's app", bundleIdentifier: "com.contoso.rounds")
            let rounds: MDMAdmin.Configuration = [
                "clientId": .string("c-1"), "redirectUri": .string("msauth.com.contoso.rounds://auth"),
            ]
            let app = MDMAdmin.PushedApp(configuration: rounds)
            let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/apps/com.contoso.rounds", app)
            let profile: MDMAdmin.Profile = try await fixture.call(
                .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.baton.test"]))
            let assigned = "/devices/tablet-1/profiles/\(profile.identifier)"
            let _: MDMAdmin.Command = try await fixture.call(.put, assigned)
            let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            try await agent.checkIn()
            let policy: MDMAdmin.Configuration = [
                "sharedDeviceMode": .boolean(true), "sessionPolicy": .dictionary(["idle": .integer(300)]),
            ]
            let configuration = "/devices/tablet-1/apps/org.baton.authenticator/configuration"
            let _: MDMAdmin.Command = try await fixture.call(.put, configuration, policy)
            let _: MDMAdmin.Command = try await fixture.call(.delete, configuration)
            let _: MDMAdmin.Command = try await fixture.call(.delete, assigned)
            agent.session(is: .changing)
            try await agent.checkIn()
            agent.session(is: .held)
            // This call runs only after the work that the session's change queued.
            await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: []) }
            wire.packageFault.withLock { $0 = .status(404) }
            try await push(broker: fixture)
            try await agent.checkIn()
            fixture.now.advance(days: 300)
            try await agent.checkIn()
            try await agent.checkIn()
            try await agent.unenroll()
            try await enrolled(agent, fixture)
            try await fixture.raw(.delete, "/devices/tablet-1")
            await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
        }
        for exchange in wire.exchanges.withLock({ $0 }) { try messages.add(exchange) }
        messages.add(
            "profile",
            try Profile.sharedDeviceSSO(
                tenant: try #require(UUID(uuidString: TestMDM.tenant)), organization: "Contoso"
            ).xml())
        return messages
    }

    /// Adds commands of the protocol that our server never sends, and the errors that a device reports.
    private func addScripted(to messages: inout RecordedMessages, _ fixture: TestMDM) async throws {
        let commands: [Command] = [
            .deviceInformation(queries: ["UDID", "DeviceName", "ProductName", "OSVersion", "ModelName"]),
            .profileList(managedOnly: true), .managedApplicationList(identifiers: ["com.contoso.rounds"]),
            .removeProfile(identifier: "none"),
            .installApplication(.init(manifestURL: "https://mdm.baton.test/none")),
            .settings([.applicationConfiguration(identifier: "com.contoso.rounds", configuration: nil)]),
        ]
        // Our server must not send any of these, but the device must answer them.
        let strange = [
            CommandRequest(uuid: "strange", command: .unknown(requestType: "EraseDevice")).propertyList,
            CommandRequest(uuid: "empty", command: .installProfile([])).propertyList,
            ["CommandUUID": "malformed", "Command": ["RequestType": "InstallProfile", "Payload": "text"]],
        ]
        let sent = try commands.enumerated().map { index, command in
            try CommandRequest(uuid: "scripted-\(index)", command: command).propertyList.xml()
        }
        let server = ScriptedServer(try sent + strange.map { try $0.xml() })
        var configuration = configuration(fixture, wire: .init())
        configuration.connect = { _, _ in server }
        let folder = fixture.folder.appending("scripted")
        let profile = try await fixture.enrollmentProfile(named: "tablet-2")
        try await withAgent(try MDMClientService(directory: folder, configuration: configuration, logger: quiet)) {
            agent in
            try await agent.enroll(profile: profile)
            try await agent.checkIn()
        }
        var scripted = RecordedMessages()
        for exchange in server.exchanges { try scripted.add(exchange) }
        for message in scripted.messages where message.kind != "command" { messages.add(message.kind, message.bytes) }
        for command in sent { messages.add("command", command) }
    }
}
