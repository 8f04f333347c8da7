// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import MDMProtocol
import Redaction
import Testing

@Suite struct ProfileTests {
    private let tenant = UUID(uuidString: "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10") ?? UUID()

    @Test func `a generated profile is reproducible, can be decoded, and has a revision that depends on its content`()
        throws
    {
        let first = try Profile.sharedDeviceSSO(
            tenant: tenant, organization: "Contoso", additionalURLs: ["https://a.example"])
        let again = try Profile.sharedDeviceSSO(
            tenant: tenant, organization: "Contoso", additionalURLs: ["https://a.example"])
        let changed = try Profile.sharedDeviceSSO(
            tenant: tenant, organization: "Contoso", additionalURLs: ["https://b.example"])
        let elsewhere = try Profile.sharedDeviceSSO(tenant: UUID(), organization: "Contoso")
        #expect(try first.xml() == again.xml())
        #expect(try Profile(xml: first.xml()) == first)
        #expect(changed.uuid != first.uuid)
        #expect(changed.payloads.map(\.uuid) == first.payloads.map(\.uuid))
        #expect(elsewhere.payloads[0].uuid != first.payloads[0].uuid)
        #expect(
            StableUUID.make(
                namespace: try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")),
                name: "www.example.com") == "2ED6657D-E927-568B-95E1-2665A8AEA6A2")
    }

    @Test func `the profile matches the seeds`() throws {
        let profile = try Profile.sharedDeviceSSO(tenant: tenant, organization: "Contoso")
        guard case .dictionary(let top) = profile.propertyList, case .array(let payloads)? = top["PayloadContent"],
            case .dictionary(let payload)? = payloads.first
        else { return #expect(Bool(false), "no payload") }
        #expect(payload["PayloadType"] == "com.apple.extensiblesso")
        #expect(payload["Type"] == "Redirect")
        #expect(payload["ExtensionIdentifier"] == "com.microsoft.azureauthenticator.ssoextension")
        #expect(payload["ExtensionData"] == ["sharedDeviceMode": true])
        #expect(payload["URLs"]?.kind == "array")
        #expect(SSOPreset.microsoft2020.urls.count == 9)
        #expect(ProfileLinter(delivery: .push).findings(inXML: try profile.xml()).isEmpty)
    }

    @Test func `the linter checks single sign-on payloads`() throws {
        let profile = try Profile.sharedDeviceSSO(tenant: tenant, organization: "Contoso")
        guard case .extensibleSSO(let good) = profile.payloads[0].content else {
            Issue.record("the profile has no single sign-on payload")
            return
        }
        let linter = ProfileLinter(delivery: .push, takenURLs: ["https://TAKEN.example"])
        func check(_ code: ProfileFinding.Code, _ change: (inout SSOPayload) -> Void) {
            var sso = good
            change(&sso)
            var changed = profile
            changed.payloads[0].content = .extensibleSSO(sso)
            #expect(linter.findings(in: changed).map(\.code) == [code])
        }
        check(.ssoType) { $0.kind = .other("redirect") }
        check(.ssoURLsMissing) { $0.urls = [] }
        check(.ssoURLScheme) { $0.urls = ["ftp://a.example"] }
        check(.ssoURLQueryOrFragment) { $0.urls = ["https://a.example/?x=1"] }
        check(.ssoURLQueryOrFragment) { $0.urls = ["https://a.example/#x"] }
        check(.ssoURLMalformed) { $0.urls = ["https://user@a.example"] }
        check(.ssoURLMalformed) { $0.urls = ["https://"] }
        check(.ssoURLMalformed) { $0.urls = ["https://a b.example"] }
        check(.ssoURLDuplicate) { $0.urls = ["https://A.example", "HTTPS://a.example/"] }
        check(.ssoURLDuplicate) { $0.urls = ["https://taken.example/"] }
        check(.ssoHostsMissing) {
            $0.kind = .credential; $0.hosts = []
        }
        check(.ssoSharedModeType) { $0.extensionData = ["sharedDeviceMode": "true"] }
        check(.ssoSharedModeType) { $0.extensionData = ["sharedDeviceMode": 1] }
        check(.ssoSharedModeSpelling) { $0.extensionData = ["SharedDeviceMode": true] }
        for key in ["shared_device_mode", "sharedDeviceMod", "SharedDevicesMode"] {
            check(.ssoSharedModeSpelling) { $0.extensionData = [key: true] }
        }
        check(.ssoFlagType) { $0.extensionData = ["disable_explicit_app_prompt": true] }
        for key in ["device_regstration", "AppAlowList", "admin_debugmode_enabled", "Preferred_Auth_Config"] {
            check(.ssoKeySpelling) { $0.extensionData = ["sharedDeviceMode": true, key: "x"] }
        }
        check(.ssoTeamIdentifier) { $0.teamIdentifier = "UBF8T346G9" }
        let mangled = "com.microsoft.azureauthenticator.ssoextension"
        for name in [mangled + " ", "ssoextension", ".\(mangled)", "com..sso", "com.fabrikam.ßo", ""] {
            check(.ssoExtensionMalformed) { $0.extensionIdentifier = name }
        }
        for name in [mangled.uppercased(), "com.microsoft.azureauthentictor.ssoextention"] {
            check(.ssoExtensionSpelling) { $0.extensionIdentifier = name }
        }
        // Other vendors' extensions have their own names and keys.
        for known in ["com.fabrikam.sso", "com.microsoft.CompanyPortalMac.ssoextension"] {
            var other = profile
            var sso = good
            sso.extensionIdentifier = known
            sso.extensionData = ["device_registration": "{{DEVICEREGISTRATION}}", "fabrikamMode": true]
            other.payloads[0].content = .extensibleSSO(sso)
            #expect(linter.findings(in: other) == [])
        }
    }

    @Test(arguments: [("Cancel", true), ("DoNotHandle", true), ("cancel", false), ("Ignore", false), ("", false)])
    func `the behaviour on a locked screen is one of two values`(value: String, isGood: Bool) throws {
        let profile = String(
            decoding: try Profile.sharedDeviceSSO(tenant: tenant, organization: "Contoso").xml(), as: UTF8.self)
        func codes(_ value: String) -> [ProfileFinding.Code] {
            let changed = profile.replacing(
                "<key>Type</key>", with: "<key>ScreenLockedBehavior</key>\(value)<key>Type</key>")
            return ProfileLinter(delivery: .push).findings(inXML: Array(changed.utf8)).map(\.code)
        }
        #expect(codes("<string>\(value)</string>") == (isGood ? [] : [.ssoScreenLocked]))
        #expect(codes("<true/>") == [.ssoScreenLocked])
    }

    @Test func `the broker's configuration has sharedDeviceMode as a Boolean under its exact name`() {
        let good: [[String: PropertyList]] = [
            ["sharedDeviceMode": true], ["sharedDeviceMode": false], [:], ["clientId": "c"],
        ]
        let bad: [[String: PropertyList]] = [
            ["sharedDeviceMode": "true"], ["sharedDeviceMode": 1], ["SharedDeviceMode": true],
            ["shared_device_mode": true], ["sharedDevicMode": true],
        ]
        for configuration in good { #expect(AppConfigurationProblem(in: configuration) == nil, "\(configuration)") }
        for configuration in bad { #expect(AppConfigurationProblem(in: configuration) != nil, "\(configuration)") }
    }

    @Test func `the linter checks complete profiles`() throws {
        let sso = try Profile.sharedDeviceSSO(tenant: tenant, organization: "Contoso")
        func codes(_ profile: Profile, _ delivery: ProfileLinter.Delivery = .push) throws -> Set<ProfileFinding.Code> {
            Set(ProfileLinter(delivery: delivery).findings(inXML: try profile.xml()).map(\.code))
        }
        var twice = sso
        twice.payloads.append(twice.payloads[0])
        #expect(try codes(twice).isSuperset(of: [.duplicatePayloadIdentifier, .duplicatePayloadUUID]))
        var unknown = sso
        unknown.payloads[0].content = .unknown(type: "com.apple.wifi.managed")
        #expect(try codes(unknown) == [.unknownPayloadType])
        let anywhere = ProfileLinter(delivery: .push, audience: .anyDevice)
        #expect(anywhere.findings(in: unknown).map(\.code) == [.foreignPayloadType])
        unknown.payloads[0].content = .unknown(type: "com.aple.wifi.managed")
        #expect(anywhere.findings(in: unknown).map(\.code) == [.unknownPayloadType])
        #expect(try codes(sso, .enrollment) == [.ssoOutsideMDM, .enrollmentMissing])
        #expect(try codes(enrollment()) == [.enrollmentPushed])
        #expect(try codes(enrollment(), .enrollment).isEmpty)
        #expect(ProfileLinter(delivery: .push).findings(inXML: Array("bplist00".utf8)).map(\.code) == [.unreadable])
        #expect(
            ProfileLinter(delivery: .push).findings(inXML: Array("<plist><dict/></plist>".utf8)).map(\.code) == [
                .malformed
            ])
        let misspelt = String(decoding: try sso.xml(), as: UTF8.self).replacing(
            "<key>Type</key>", with: "<key>ScreenLockedBehaviour</key><true/><key>Type</key>")
        #expect(ProfileLinter(delivery: .push).findings(inXML: Array(misspelt.utf8)).map(\.code) == [.unknownKey])
    }

    @Test func `the linter checks enrollment payloads, and the reissue of one`() throws {
        func codes(_ change: (inout EnrollmentPayload) -> Void) throws -> [ProfileFinding.Code] {
            var profile = try enrollment()
            guard case .enrollment(var payload) = profile.payloads[2].content else { return [] }
            change(&payload)
            profile.payloads[2].content = .enrollment(payload)
            return ProfileLinter(delivery: .enrollment).findings(in: profile).map(\.code)
        }
        #expect(try codes { $0.identityUUID = UUID().uuidString } == [.enrollmentIdentity])
        #expect(try codes { $0.topic = "com.example" } == [.enrollmentTopic])
        #expect(try codes { $0.checkInURL = "http://mdm.example" } == [.enrollmentURL])
        for rights in [0, 2, 128, 8192] as [Int64] {
            #expect(try codes { $0.accessRights = AccessRights(rawValue: rights) } == [.enrollmentRights])
        }
        #expect(AccessRights.sharedDevice.rawValue == 7443)
        guard case .enrollment(let before) = try enrollment().payloads[2].content else {
            Issue.record("the profile names no server")
            return
        }
        var after = before
        after.accessRights.insert(.erase)
        after.serverURL = "https://other.example"
        #expect(
            ProfileLinter.changes(from: before, to: after).map(\.code) == [.enrollmentImmutable, .enrollmentRightsGrew])
        after = before
        after.accessRights = [.inspectProfiles]
        #expect(ProfileLinter.changes(from: before, to: after).isEmpty)
    }

    @Test func `identities are hidden when a profile is printed`() throws {
        #expect(!String(reflecting: try enrollment()).contains("hunter2"))
    }

    private func enrollment() throws -> Profile {
        try Profile.enrollment(
            tenant: tenant, organization: "Contoso", enrollment: "e1", serverURL: "https://mdm.example/mdm",
            topic: "com.apple.mgmt.External.x", identity: IdentityPayload(container: [1], password: "hunter2"),
            root: [2])
    }
}
