// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import JSON
import Testing

/// The lists of allowed and blocked addresses together.
@Suite struct AddressListsTests {
    private func configuration(allowed: [String], blocked: [String]) throws -> BrowserConfiguration {
        try BrowserConfiguration(
            allowed: allowed.map { text throws in try AddressPattern(text) },
            blocked: blocked.map { text throws in try AddressPattern(text) })
    }

    @Test(arguments: [
        ("example.org", "example.org/admin"), ("example.org", "www.example.org"), ("example.org", ".example.org"),
        ("example.org", "EXAMPLE.org/"), ("https://example.org", "example.org/admin"), ("*", "example.org"),
        ("example.org/shop", ".example.org"), ("example.org/shop", "www.example.org"), ("10.0.0.1", "10.0.0.1/admin"),
        ("[2001:db8::1]", "[2001:db8::1]/admin"),
    ])
    func `a blocked pattern that is more specific than an allowed one is refused, and is named`(
        allowed: String, blocked: String
    ) throws {
        #expect {
            try configuration(allowed: ["net.example", allowed], blocked: ["*", blocked])
        } throws: {
            let failure = $0 as? BrowserConfigurationFailure
            return failure?.code == .patternConflict
                && failure?.cause.hasPrefix("entry 2 of the blocked addresses takes precedence over entry") == true
        }
    }

    @Test(arguments: [
        ("example.org", "*"), ("*", "*"), ("example.org", "example.org"), ("www.example.org", "example.org"),
        ("example.org/shop", "example.org"), (".example.org", "example.org"), ("https://example.org", "example.org"),
        (".www.example.org", "www.example.org/shop"), ("https://example.org", "http://example.org/admin"),
        ("example.org/shop", "example.org/admin"), ("example.org", "badexample.org"),
        (".example.org", "www.example.org"),
        ("10.0.0.1", "10.0.0.1"), (".example.org/shop", ".example.org"),
    ])
    func `all other lists are accepted, and an allowed pattern takes precedence`(
        allowed: String, blocked: String
    ) throws {
        let both = try configuration(allowed: [allowed], blocked: [blocked])
        let patterns = try (AddressPattern(allowed), AddressPattern(blocked))
        let addresses = try [
            "https://example.org/", "https://example.org/shop", "http://example.org/admin",
            "https://www.example.org/shop/a", "https://badexample.org/", "http://10.0.0.1:8080/",
        ].map { text throws in try WebAddress(text) }
        for address in addresses {
            #expect(
                both.allows(address) == (patterns.0.matches(address) || !patterns.1.matches(address)),
                "\(address.text)")
        }
    }

    @Test func `lists of the maximum length are accepted`() throws {
        let numbers = 0..<BrowserConfiguration.maximumPatterns
        let allowed = try numbers.map { number throws in try AddressPattern("a\(number).example.org/shop") }
        let blocked = try numbers.map { number throws in try AddressPattern("b\(number).example.org/shop") }
        #expect(try BrowserConfiguration(allowed: allowed, blocked: blocked).blocked == blocked)
    }
}
