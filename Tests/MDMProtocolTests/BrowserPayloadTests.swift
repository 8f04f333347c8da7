// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import FoundationEssentials
import MDMProtocol
import Testing

/// The payload `org.baton.browser` of a profile, and the values that the linter refuses.
@Suite struct BrowserPayloadTests {
    private func profile(_ payloads: BrowserPayload...) -> Profile {
        Profile(
            identifier: "com.contoso.browser", uuid: UUID().uuidString,
            payloads: payloads.enumerated().map { number, payload in
                Payload(
                    identifier: "com.contoso.browser.\(number)", uuid: UUID().uuidString, content: .browser(payload))
            })
    }

    private func codes(_ payloads: BrowserPayload..., beside others: [Profile] = []) throws -> [ProfileFinding.Code] {
        var whole = profile()
        for payload in payloads { whole.payloads += profile(payload).payloads }
        for number in whole.payloads.indices { whole.payloads[number].identifier += ".\(number)" }
        return ProfileLinter(delivery: .push, beside: others).findings(inXML: try whole.xml()).map(\.code)
    }

    private func authority(_ constraints: String) async throws -> [UInt8] {
        try await tool(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "/dev/null",
                "-subj", "/CN=Contoso", "-outform", "DER", "-addext", "basicConstraints=critical,\(constraints)",
            ])
    }

    @Test func `the payload is decoded as it was encoded, and gives the browser's configuration`() async throws {
        let certificate = try await authority("CA:TRUE")
        let payload = BrowserPayload(
            homePage: "https://portal.example.org/", newTabPage: "https://portal.example.org/new",
            allowedAddresses: ["example.org"], blockedAddresses: ["*"], allowsPrinting: false,
            certificates: [certificate])
        #expect(try codes(payload) == [])
        let read = try Profile(xml: profile(payload).xml())
        guard case .browser(let again) = read.payloads[0].content else {
            Issue.record("the profile has no browser payload")
            return
        }
        #expect(again == payload)
        let told = try again.configuration()
        #expect(
            try told
                == BrowserConfiguration(
                    homePage: WebAddress("https://portal.example.org/"),
                    newTabPage: WebAddress("https://portal.example.org/new"), allowed: [AddressPattern("example.org")],
                    blocked: [AddressPattern("*")], allowsPrinting: false,
                    authorities: [AuthorityCertificate(der: certificate)]))
        #expect(try BrowserPayload().configuration() == .standard)
    }

    @Test func `every value that no browser could apply is refused, and its key is named`() async throws {
        #expect(try codes(BrowserPayload(homePage: "portal.example.org")) == [.browserAddress])
        #expect(try codes(BrowserPayload(newTabPage: "chrome://settings")) == [.browserAddress])
        #expect(
            try codes(BrowserPayload(allowedAddresses: ["a b"], blockedAddresses: ["*.example.org", "ok.example"]))
                == [.browserPattern, .browserPattern])
        let conflict = BrowserPayload(
            allowedAddresses: ["example.net", "example.org"], blockedAddresses: ["*", "example.org/admin"])
        #expect(try codes(conflict) == [.browserPatternConflict])
        let many = [String](repeating: "example.org", count: 501)
        #expect(try codes(BrowserPayload(blockedAddresses: many)) == [.browserList])
        #expect(try codes(BrowserPayload(certificates: [[1, 2, 3]])) == [.browserCertificate])
        #expect(try codes(BrowserPayload(certificates: [await authority("CA:FALSE")])) == [.browserCertificate])
        let finding = try #require(
            ProfileLinter(delivery: .push).findings(in: profile(BrowserPayload(blockedAddresses: ["*.example.org"])))
                .first)
        #expect(finding.message == "BlockedAddresses: the pattern has a * that does not stand alone")
        #expect(finding.payload == "com.contoso.browser.0" && finding.severity == .error)
    }

    @Test func `only one payload of a pushed profile may decide for a device, and unknown keys are refused`() throws {
        #expect(try codes(BrowserPayload(), BrowserPayload()) == [.browserTwice])
        #expect(try codes(BrowserPayload(), beside: [profile(BrowserPayload())]) == [.browserTwice])
        #expect(
            ProfileLinter(delivery: .enrollment).findings(in: profile(BrowserPayload())).map(\.code)
                == [.enrollmentMissing, .browserOutsideMDM])
        let text = String(decoding: try profile(BrowserPayload()).xml(), as: UTF8.self)
        let misspelt = text.replacing("<key>BlockedAddresses</key>", with: "<key>BlockedAdresses</key>")
        let finding = try #require(ProfileLinter(delivery: .push).findings(inXML: Array(misspelt.utf8)).first)
        #expect(finding.code == .browserKey && finding.severity == .error)
        for (key, value) in [("AllowPrinting", "<string>no</string>"), ("Certificates", "<array><string/></array>")] {
            let changed = text.replacing(
                "<key>\(key)</key>", with: "<key>\(key)</key>\(value)<key>Former\(key)</key>")
            #expect(ProfileLinter(delivery: .push).findings(inXML: Array(changed.utf8)).map(\.code) == [.malformed])
        }
    }
}
