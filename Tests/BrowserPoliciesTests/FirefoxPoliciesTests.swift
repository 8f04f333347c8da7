// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import JSON
import Testing

@Suite struct FirefoxPoliciesTests {
    private func policies(
        _ configuration: BrowserConfiguration, in context: PolicyContext = PolicyContext()
    ) throws -> [String: JSONValue] {
        let file = FirefoxPolicies.make(configuration, in: context)
        #expect(file.object?.keys.sorted() == ["policies"])
        return try #require(file.object?["policies"]?.object)
    }

    @Test func `a worker's Firefox has no dialog for files`() throws {
        #expect(try policies(.standard)["AllowFileSelectionDialogs"] == .bool(false))
    }

    @Test func `no page fills the screen or records it`() {
        let script = FirefoxInternalPages.script(openFolders: [])
        let preferences = #"["full-screen-api.enabled","media.getdisplaymedia.enabled"]"#
        #expect(script.contains("\(preferences).forEach(denied => lockPref(denied, false));"))
    }

    @Test func `no address starts another program`() {
        let script = FirefoxInternalPages.script(openFolders: [])
        let schemes = #"Services.prefs.getChildList("network.protocol-handler.external")"#
        #expect(script.contains("for (const name of \(schemes)) lockPref(name, false);"))
    }

    @Test(arguments: [
        ("*", "<all_urls>"), ("example.org", "*://*.example.org/*"), (".example.org", "*://example.org/*"),
        ("https://example.org", "https://*.example.org/*"), ("example.org/shop", "*://*.example.org/shop*"),
        ("wiki2", "*://*.wiki2/*"), ("10.0.0.1", "*://10.0.0.1/*"), ("[2001:db8::1]", "*://[2001:db8::1]/*"),
    ])
    func `a pattern is converted to Firefox's match pattern`(pattern: String, expected: String) throws {
        let configuration = try BrowserConfiguration(blocked: [AddressPattern(pattern)])
        let filter = try policies(configuration)["WebsiteFilter"]?.object
        #expect(filter == ["Block": .array([.string(expected)]), "Exceptions": .array([])])
    }

    @Test(arguments: [
        ("https://login.example.org:8443/t", "https://login.example.org/*"), ("https://10.0.0.1", "https://10.0.0.1/*"),
        ("HTTPS://[2001:db8::1]/", "https://[2001:db8::1]/*"),
    ])
    func `the identity platform's host opens alone, without the names below it`(address: String, expected: String)
        throws
    {
        let origin = WebOrigin(of: try WebAddress(address))
        let configuration = try BrowserConfiguration(blocked: [AddressPattern("*")])
        let filter = try policies(configuration, in: PolicyContext(needed: [origin.pattern]))["WebsiteFilter"]?.object
        #expect(filter?["Exceptions"] == .array([.string(expected)]))
    }

    @Test func `the file contains the policies of the organisation and of the device`() throws {
        let configuration = try BrowserConfiguration(
            homePage: WebAddress("https://portal.example.org/"), blocked: [AddressPattern("*")], allowsPrinting: false)
        let context = PolicyContext(
            downloads: "/d", authorityFiles: ["/a.der"], needed: [try AddressPattern("http://127.0.0.1")],
            startPages: "/s",
            singleSignOn: BrowserExtension(
                chromium: ChromiumExtension(id: "c", updateURL: "u"), firefoxID: "f@x",
                firefoxInstallURL: "file:///f.xpi", host: "h"
            ))
        let made = try policies(configuration, in: context)
        #expect(made["DownloadDirectory"] == .string("/d"))
        #expect(made["PrintingEnabled"] == .bool(false))
        #expect(made["Certificates"] == .object(["Install": .array([.string("/a.der")])]))
        #expect(made["Homepage"]?.object?["URL"] == .string("https://portal.example.org/"))
        #expect(
            made["WebsiteFilter"]?.object?["Exceptions"]
                == .array([.string("http://127.0.0.1/*"), .string("file:///s/*")]))
        #expect(made["ExtensionSettings"]?.object?["f@x"]?.object?["installation_mode"] == .string("force_installed"))
        #expect(made["Preferences"]?.object?["xpinstall.signatures.required"] != nil)
        // Only the broker's own extension is unsigned.
        #expect(try policies(.standard)["Preferences"]?.object?["xpinstall.signatures.required"] == nil)
    }
}
