// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import MDMProtocol
import MDMServer
import Storage
import TestSupport
import Testing

/// Profiles, with and without a signature, and configurations that an administrator adds and pushes.
@Suite struct ProfileAdditionTests {
    private static func profile(_ change: (inout Profile) -> Void = { _ in }) throws -> Profile {
        var profile = try Profile.sharedDeviceSSO(
            tenant: try #require(UUID(uuidString: TestMDM.tenant)), organization: "Contoso")
        change(&profile)
        return profile
    }

    private static func file(_ bytes: some Sequence<UInt8>) -> MDMAdmin.NewProfile {
        .file(Data(bytes).base64EncodedString())
    }

    @Test(arguments: [["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]], ["sha256", "sha512"])
    func `a signed profile is verified, and added without its signature`(key: [String], digest: String) async throws {
        try await Scratch.with { scratch in
            func openssl(_ arguments: [String]) async throws {
                let program = try await RunningProgram.start(
                    "/usr/bin/openssl", arguments, log: "openssl-\(UInt32.random(in: 0...UInt32.max))",
                    awaitsReady: false, in: scratch)
                let code = try await program.waitForExit()
                let said = try program.log()
                #expect(code == 0, "\(said)")
            }
            let (unsigned, signed) = (scratch.path("profile"), scratch.path("signed"))
            let (secret, certificate) = (scratch.path("key"), scratch.path("certificate"))
            try await openssl(
                [
                    "req", "-x509", "-nodes", "-subj", "/O=Contoso/CN=Profile signing", "-keyout", secret, "-out",
                    certificate,
                ]
                    + ["-newkey"] + key)
            let profile = try Self.profile().xml()
            func sign(_ content: [UInt8]) async throws -> [UInt8] {
                try Data(content).write(to: URL(filePath: unsigned))
                try await openssl([
                    "smime", "-sign", "-nodetach", "-binary", "-outform", "der", "-md", digest, "-signer", certificate,
                    "-inkey", secret, "-in", unsigned, "-out", signed,
                ])
                return Array(try Data(contentsOf: URL(filePath: signed)))
            }
            let bytes = try await sign(profile)
            try await TestMDM.with { fixture in
                let added: MDMAdmin.Profile = try await fixture.call(.post, "/profiles", Self.file(bytes))
                #expect(added.identifier == "org.baton.sso")
                #expect(added.warnings.count == 1)
                #expect(added.warnings.first?.contains("CN=Profile signing,O=Contoso") == true, "\(added.warnings)")
                let stored: [UInt8]? = try await fixture.management.database.read {
                    try $0.row("SELECT body FROM profile")?["body"]
                }
                #expect(stored == profile)

                var changed = bytes
                let place = try #require(changed.firstRange(of: Array("Contoso".utf8)))
                changed[place.lowerBound] ^= 1
                for bad in [changed, Array(bytes.dropLast(40)), [0x30, 0], bytes + [0]] {
                    #expect(try await fixture.refusal(.post, "/profiles", Self.file(bad)) == "mdm.profile.signature")
                }
                let wrong = try Self.profile { $0.payloads[0].content = .unknown(type: "com.aple.x") }
                let refused = Self.file(try await sign(try wrong.xml()))
                #expect(try await fixture.refusal(.post, "/profiles", refused) == "mdm.profile.refused")
            }
        }
    }

    @Test(arguments: ["https://a.test/\u{1}", "\u{b}", "a\u{ffff}", "not a URL", "https://a.test/?q"])
    func `a URL that no single sign-on profile can have is refused with the reason`(url: String) async throws {
        try await TestMDM.with { fixture in
            let profile = MDMAdmin.NewProfile.sharedDevice(urls: ["https://b.test/", url])
            let code = try await fixture.refusal(.post, "/profiles", profile)
            #expect(code == "mdm.profile.refused")
        }
    }

    @Test func `a configuration with a character that no property list can have is refused`() async throws {
        try await TestMDM.with { fixture in
            _ = try await HandDevice.enrolled(fixture, named: "tablet-1")
            try await fixture.register("a worker's app", bundleIdentifier: "com.contoso.rounds")
            let path = "/devices/tablet-1/apps/com.contoso.rounds"
            for configuration: MDMAdmin.Configuration in [["ward": .string("\u{1}")], ["\u{2}": .boolean(true)]] {
                let app = MDMAdmin.PushedApp(configuration: configuration)
                let pushed = try await fixture.refusal(.put, path, app)
                let configured = try await fixture.refusal(.put, "\(path)/configuration", configuration)
                #expect(pushed == "mdm.app.configuration" && configured == pushed)
            }
        }
    }

    @Test func `a payload only for iPads is added with a warning, and is not sent to Baton's devices`() async throws {
        try await TestMDM.with { fixture in
            let wifi = try Self.profile { $0.payloads[0].content = .unknown(type: "com.apple.wifi.managed") }
            let added: MDMAdmin.Profile = try await fixture.call(.post, "/profiles", Self.file(try wifi.xml()))
            #expect(added.warnings.count == 1 && added.warnings[0].contains("payload_type_foreign"))
            let tablet = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let path = "profiles/\(added.identifier)"
            #expect(try await fixture.refusal(.put, "/devices/tablet-1/\(path)") == "mdm.profile.refused")
            #expect(try await tablet.work(upTo: 5).count == 2)

            let iPad = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "ipad-1"))
            let message = CheckInMessage.Authenticate(udid: iPad.udid, topic: iPad.topic, productName: "iPad14,1")
            #expect(try await iPad.checkIn(.authenticate(message)) == 200)
            #expect(try await iPad.tokenUpdate() == 200)
            #expect(try await fixture.raw(.put, "/devices/ipad-1/\(path)").status == .accepted)
        }
    }

    @Test(
        arguments: [
            ["sharedDeviceMode": .string("true")], ["sharedDeviceMode": .integer(1)],
            ["SharedDeviceMode": .boolean(true)],
            ["shared_device_mode": .boolean(true)],
        ] as [MDMAdmin.Configuration])
    func `a configuration that would silently prevent shared mode is refused`(
        configuration: MDMAdmin.Configuration
    ) async throws {
        try await TestMDM.with { fixture in
            _ = try await HandDevice.enrolled(fixture, named: "tablet-1")
            try await fixture.register("the broker's package")
            try await fixture.register("a worker's app", bundleIdentifier: "com.contoso.rounds")
            func paths(_ app: String) -> [(String, any Encodable)] {
                [
                    ("/devices/tablet-1/apps/\(app)", MDMAdmin.PushedApp(configuration: configuration)),
                    ("/devices/tablet-1/apps/\(app)/configuration", configuration),
                ]
            }
            for (path, body) in paths("org.baton.authenticator") {
                let answer = try await fixture.raw(.put, path, body)
                let failure = try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body))
                #expect(failure.error.code == "mdm.app.configuration")
                #expect(failure.error.message.contains("sharedDeviceMode"), "\(failure.error)")
            }
            // Another app may use any names for its own settings.
            for (path, body) in paths("com.contoso.rounds") {
                #expect(try await fixture.raw(.put, path, body).status == .accepted)
            }
        }
    }

    @Test(arguments: [
        MDMAdmin.Value.string("/home/kiosk/rounds"), .array([.integer(1)]), .array([.string("/etc")]),
        .array([.string("/home/kiosk/rounds"), .string("rounds")]),
    ])
    func `folders of data that no app may have are refused before they reach a device`(
        folders: MDMAdmin.Value
    ) async throws {
        try await TestMDM.with { fixture in
            _ = try await HandDevice.enrolled(fixture, named: "tablet-1")
            try await fixture.register("a worker's app", bundleIdentifier: "com.contoso.rounds")
            let path = "/devices/tablet-1/apps/com.contoso.rounds"
            let answer = try await fixture.raw(
                .put, path, MDMAdmin.PushedApp(configuration: ["dataFolders": folders]))
            let failure = try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body))
            #expect(failure.error.code == "mdm.app.configuration")
            #expect(failure.error.message.contains("dataFolders"), "\(failure.error)")
            let good = MDMAdmin.PushedApp(configuration: ["dataFolders": .array([.string("/home/kiosk/rounds")])])
            #expect(try await fixture.raw(.put, path, good).status == .accepted)
        }
    }
}
