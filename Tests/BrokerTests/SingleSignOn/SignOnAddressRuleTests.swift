// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import DeviceSettings
import MDMProtocol
import Testing

@Suite struct SignOnAddressRuleTests {
    private static let platform = "https://login.example:8443"

    private func addressRule(_ urls: [String], platform: String = platform) -> SignOnAddressRule {
        var settings = SSOExtensionSettings()
        settings.urls = urls
        return SignOnAddressRule(settings, platform: platform)
    }

    @Test(arguments: [
        "https://login.example:8443", "https://login.example:8443/", "HTTPS://LOGIN.Example:8443/t/oauth2?x=1",
        "https://login.example:8443?x",
    ])
    func `an address below a listed prefix of the device's identity platform gets a credential`(address: String) throws
    {
        for listed in ["https://login.example:8443", "https://login.example:8443/", "hTTps://LOGIN.example:8443"] {
            #expect(throws: Never.self) { try addressRule(["https://other.example", listed]).listed(address) }
        }
    }

    @Test(
        arguments: [
            ("https://login.example", .otherPlatform), ("https://login.example:443/", .otherPlatform),
            ("https://login.example:8444/", .otherPlatform),
            ("https://login.example.evil.example:8443", .otherPlatform),
            ("https://evil.example:8443/login.example", .otherPlatform),
            ("https://xlogin.example:8443", .otherPlatform),
            ("https://xn--lgin-5qa.example:8443", .otherPlatform), ("https://login.exampl:8443", .otherPlatform),
            ("https://login.microsoftonline.com/common", .otherPlatform),
            ("http://login.example:8443/", .malformed(.scheme)), ("https://login.example.:8443/", .malformed(.host)),
            ("https://login.example:8443@evil.example/", .malformed(.user)),
            ("https://u@login.example:8443/", .malformed(.user)),
            ("https://login.example:8443/a/../b", .malformed(.path)),
            ("https://login.example:8443/a%2f..%2fb", .malformed(.path)),
        ] as [(String, SignOnAddressRule.Refusal)])
    func `an address that only looks like a listed one gets nothing`(
        address: String, refusal: SignOnAddressRule.Refusal
    ) {
        let rule = addressRule([
            "https://login.example:8443", "https://login.microsoftonline.com", "http://login.example",
        ])
        #expect(throws: refusal) { try rule.listed(address) }
        #expect(refusal.brokerError.reason?.remedy != nil || refusal != .unlisted)
        #expect(!refusal.brokerError.message.contains("example"))
    }

    @Test(arguments: [
        ("/t", "/t/oauth2", true), ("/t", "/t", true), ("/t/", "/t/x", true), ("/t", "/tenant", true),
        ("/t/", "/t", false), ("/t", "/", false), ("/t", "/T", false), ("/t", "/other/t", false), ("/t", "//t", false),
    ])
    func `a path is compared by prefix, case-sensitively`(listed: String, path: String, isListed: Bool) {
        let rule = addressRule([Self.platform + listed])
        if isListed {
            #expect(throws: Never.self) { try rule.listed(Self.platform + path) }
        } else {
            #expect(throws: SignOnAddressRule.Refusal.unlisted) { try rule.listed(Self.platform + path) }
        }
    }

    @Test(arguments: [
        [], [""], ["http://login.example:8443"], ["https://login.example:8443/?a"],
        ["https://login.example:8443/#a"], ["https://u@login.example:8443"], ["login.example:8443"],
    ])
    func `an entry that is not a prefix matches nothing`(urls: [String]) {
        #expect(addressRule(urls).addresses.isEmpty)
        #expect(throws: SignOnAddressRule.Refusal.unlisted) { try addressRule(urls).listed(Self.platform + "/") }
    }

    @Test func `a device with an unreadable identity platform address attaches nothing`() {
        let rule = addressRule([Self.platform], platform: "login.example:8443")
        #expect(rule.addresses.isEmpty)
        #expect(throws: SignOnAddressRule.Refusal.otherPlatform) { try rule.listed(Self.platform) }
    }

    @Test func `the browser is given only addresses that can get a credential`() {
        let rule = addressRule([
            "https://login.microsoftonline.com", "https://Login.Example:8443/T", "https://login.example",
        ])
        #expect(rule.addresses == ["https://login.example:8443/T"])
    }

    // MARK: - Profiles

    private func profile(
        _ urls: [String], _ data: [String: PropertyList] = [:]
    ) -> SSOPayload {
        SSOPayload(extensionIdentifier: "x", urls: urls, extensionData: data)
    }

    @Test func `addresses and apps of all profiles are combined, and one contrary profile turns a flag off`() throws {
        let settings = try SSOExtensionSettings([
            profile(["a", "b"], ["AppCookieSSOAllowList": "org.a, org.b", "disable_explicit_app_prompt": 1]),
            profile(["b", "c"], ["AppCookieSSOAllowList": "org.c"]),
        ])
        #expect(settings.urls == ["a", "b", "c"] && settings.cookieApps == ["org.a", "org.b", "org.c"])
        #expect(settings.removesPrompts)
        let off = try SSOExtensionSettings([
            profile([], ["disable_explicit_app_prompt": 1]), profile([], ["disable_explicit_app_prompt": 0]),
        ])
        #expect(!off.removesPrompts)
        #expect(try !SSOExtensionSettings([]).removesPrompts)
    }

    @Test(arguments: ["AppCookieSSOAllowList", "disable_explicit_app_prompt"])
    func `a setting of the wrong type is refused`(key: String) {
        #expect(throws: RegistryFailure(.rules, key)) { try SSOExtensionSettings([profile([], [key: true])]) }
    }
}
