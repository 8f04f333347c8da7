// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import JSON
import Testing

@Suite struct PolicyNamesTests {
    private static let singleSignOn = BrowserExtension(
        chromium: ChromiumExtension(id: "c", updateURL: "u"), firefoxID: "f@x", firefoxInstallURL: "file:///f.xpi",
        host: "h")

    /// A configuration in which everything is set.
    private func configuration() throws -> BrowserConfiguration {
        try BrowserConfiguration(
            homePage: WebAddress("https://portal.example.org/"),
            newTabPage: WebAddress("https://portal.example.org/new"),
            allowed: [AddressPattern("example.org")], blocked: [AddressPattern("*")], allowsPrinting: false,
            signInAddresses: [AddressPattern("example.net")],
            authorities: [AuthorityCertificate(der: [0x30, 0x81, 0x80] + [UInt8](repeating: 0, count: 0x80))])
    }

    @Test func `the check of an installed browser covers every policy that is written`() throws {
        let context = PolicyContext(
            downloads: "/d", authorityFiles: ["/a.der"], startPages: "/s", singleSignOn: Self.singleSignOn)
        let chromium = try [
            ChromiumPolicies.make(configuration(), in: context), ChromiumPolicies.home("http://127.0.0.1:1"),
            ChromiumPolicies.signIn(
                configuration(), platform: nil, pages: [], origin: "o", startPage: "s",
                guarding: Self.singleSignOn.chromium,
                host: "h"),
        ].flatMap { Array(try #require($0.object).keys) }
        #expect(Set(chromium) == ChromiumPolicies.names.all)
        let firefox = try #require(FirefoxPolicies.make(configuration(), in: context).object?["policies"]?.object)
        #expect(Set(firefox.keys) == FirefoxPolicies.names.all)
    }

    @Test func `the policies that close a window are needed`() {
        for name in [
            "URLBlocklist", "URLAllowlist", "RemoteDebuggingAllowed", "DeveloperToolsAvailability", "ExtensionSettings",
            "AllowFileSelectionDialogs", "DownloadRestrictions", "PrintingEnabled", "TaskManagerEndProcessEnabled",
            "IncognitoModeAvailability", "BrowserGuestModeEnabled", "PasswordManagerEnabled", "SyncDisabled",
        ] {
            #expect(ChromiumPolicies.names.needed.contains(name), "\(name)")
        }
        for name in [
            "BlockAboutConfig", "DisableDeveloperTools", "ExtensionSettings", "Preferences", "WebsiteFilter",
            "AllowFileSelectionDialogs", "DisablePrivateBrowsing", "PasswordManagerEnabled", "PrintingEnabled",
        ] {
            #expect(FirefoxPolicies.names.needed.contains(name), "\(name)")
        }
    }
}
