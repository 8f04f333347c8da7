// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        "https://portal.example.org/", "http://portal.example.org:8080/a?b=c&d=%20#e", "HTTPS://Portal.Example.ORG",
        "https://10.0.0.1/", "https://[2001:db8::1]:8443/",
    ])
    func `a web address is kept unchanged`(text: String) throws {
        #expect(try WebAddress(text).text == text)
    }

    @Test(arguments: [
        "", "portal.example.org", "file:///etc/passwd", "javascript:alert(1)", "chrome://settings", "https://",
        "https:///x",
        "https://a b/", "https://a/<x>", "https://a/\"", "https://a\\b/", "https://user@a/", "https://user:pass@a/",
        "https://a:0/", "https://a:65536/", "https://a:x/", "https://a:/", "https://-a/", "https://a..b/",
        "https://a_b/",
        "https://1.2.3/", "https://1.2.3.999/", "https://[x]/", "https://[::1/", "https://a/%", "https://a/%2",
        "https://a/%zz",
        "https://ü/", "--help", "https://a/\n", "data:text/html,x", "view-source:https://a/",
        "https://a/" + String(repeating: "x", count: 2048),
    ])
    func `an invalid web address is refused with its reason`(text: String) {
        #expect { try WebAddress(text) } throws: { ($0 as? BrowserConfigurationFailure)?.code == .address }
    }

    @Test(arguments: [
        "", ".", "..example.org", "*.example.org", "ex*mple.org", "example.org/*", "example.org:8080", "https://",
        "ftp://a",
        "file:///etc", "chrome://*", "javascript://*", "a b", "user@example.org", "example.org?x=1", "example.org/a?x",
        "example.org/ü", "ftp//:??", "https://https://a", "-example.org", "[::1", "999.1.1.1", "<all_urls>",
        String(repeating: "a.", count: 600) + "a",
    ])
    func `a pattern that a browser would ignore is refused, and is named`(text: String) {
        #expect { try AddressPattern(text) } throws: { ($0 as? BrowserConfigurationFailure)?.code == .pattern }
    }

    @Test func `a list that is too long and a malformed certificate are refused, and are named`() throws {
        let pattern = try AddressPattern("example.org")
        let long = [AddressPattern](repeating: pattern, count: BrowserConfiguration.maximumPatterns + 1)
        for lists in [(long, []), ([], long)] as [([AddressPattern], [AddressPattern])] {
            #expect {
                try BrowserConfiguration(allowed: lists.0, blocked: lists.1)
            } throws: { ($0 as? BrowserConfigurationFailure)?.code == .listTooLong }
        }
        let longest = [0x30, 0x82, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 0xFFFF)
        for der in [[], [0x30], [0x30, 0x81], [0x30, 0x82, 1], [0x31, 0x81, 1, 0], [0x30, 0x81, 2, 0], longest] {
            #expect {
                try AuthorityCertificate(der: der)
            } throws: { ($0 as? BrowserConfigurationFailure)?.code == .certificate }
        }
    }
}
