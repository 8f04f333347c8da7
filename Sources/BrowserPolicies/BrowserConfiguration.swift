// SPDX-License-Identifier: Apache-2.0

/// An organisation's settings for the worker's browser. All other settings are the same on every shared device.
package struct BrowserConfiguration: Sendable, Hashable {
    /// The page that the home button and the first window open.
    package let homePage: WebAddress?
    /// The page that a new tab opens in Chromium; nil means the home page, or an empty page if there is no home page.
    ///
    /// In Firefox a new tab is always empty.
    package let newTabPage: WebAddress?
    /// Exceptions to ``blocked``. No blocked pattern takes precedence over them: see ``allows(_:)``.
    package let allowed: [AddressPattern]
    package let blocked: [AddressPattern]
    package let allowsPrinting: Bool
    /// Further pages that the sign-in window may show, besides those of the identity platform.
    package let signInAddresses: [AddressPattern]
    /// Certification authorities that the browser trusts in addition to the machine's own.
    package let authorities: [AuthorityCertificate]

    /// The maximum number of patterns in one list. A person can still review this many, and both browsers accept them;
    /// Chromium's limit is 1000.
    package static let maximumPatterns = 500
    /// The maximum number of bytes in all patterns together, so that a configuration fits into one message.
    package static let maximumPatternBytes = 64 << 10
    package static let maximumAuthorities = 8

    /// The configuration of a device whose organisation has set nothing.
    package static let standard = BrowserConfiguration()

    private init() {
        (homePage, newTabPage, allowed, blocked) = (nil, nil, [], [])
        (allowsPrinting, signInAddresses, authorities) = (true, [], [])
    }

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_list_too_long`, `browser_pattern_invalid` or
    ///   `browser_pattern_conflict`.
    package init(
        homePage: WebAddress? = nil, newTabPage: WebAddress? = nil, allowed: [AddressPattern] = [],
        blocked: [AddressPattern] = [], allowsPrinting: Bool = true, signInAddresses: [AddressPattern] = [],
        authorities: [AuthorityCertificate] = []
    ) throws(BrowserConfigurationFailure) {
        for (count, maximum, name) in [
            (allowed.count, Self.maximumPatterns, "allowed addresses"),
            (blocked.count, Self.maximumPatterns, "blocked addresses"),
            (signInAddresses.count, Self.maximumPatterns, "addresses of the sign-in window"),
            (authorities.count, Self.maximumAuthorities, "certificates"),
        ] where count > maximum {
            throw BrowserConfigurationFailure(
                .listTooLong, "the list of \(name) has \(count) entries", remedy: "Give \(maximum) or fewer.")
        }
        guard (allowed + blocked + signInAddresses).reduce(0, { $0 + $1.text.utf8.count }) <= Self.maximumPatternBytes
        else {
            throw BrowserConfigurationFailure(
                .listTooLong, "the patterns have more than 64 KB together", remedy: "Give fewer or shorter ones.")
        }
        guard !signInAddresses.contains(where: { $0.host == nil }) else {
            throw BrowserConfigurationFailure(
                .pattern, "the sign-in window would open every address",
                remedy: "Name the hosts of the sign-in pages instead of *.")
        }
        try Self.checkPrecedence(allowed: allowed, blocked: blocked)
        self.homePage = homePage
        self.newTabPage = newTabPage
        self.allowed = allowed
        self.blocked = blocked
        self.allowsPrinting = allowsPrinting
        self.signInAddresses = signInAddresses
        self.authorities = authorities
    }

    /// Refuses lists that the browsers would follow differently.
    private static func checkPrecedence(
        allowed: [AddressPattern], blocked: [AddressPattern]
    ) throws(BrowserConfigurationFailure) {
        for (number, pattern) in blocked.enumerated() {
            guard let other = allowed.firstIndex(where: pattern.takesPrecedence(over:)) else { continue }
            throw BrowserConfigurationFailure(
                .patternConflict,
                "entry \(number + 1) of the blocked addresses takes precedence over entry \(other + 1) of the allowed ones in Chromium, but not in Firefox",
                remedy:
                    "Remove the blocked address, or allow narrower addresses, such as example.org/shop in place of example.org."
            )
        }
    }

    /// Returns whether the address may be opened. An allowed pattern takes precedence over every blocked pattern.
    ///
    /// This is Firefox's rule. Chromium follows the most specific pattern, with the same result, because the
    /// initializer refuses lists in which a blocked pattern is more specific than an allowed pattern.
    package func allows(_ address: WebAddress) -> Bool {
        allowed.contains { $0.matches(address) } || !blocked.contains { $0.matches(address) }
    }
}

/// The certificate of a certification authority, in DER format. Only its outer sequence is checked.
package struct AuthorityCertificate: Sendable, Hashable {
    package let der: [UInt8]

    package static let maximumBytes = 8 << 10

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_certificate_invalid`.
    package init(der: [UInt8]) throws(BrowserConfigurationFailure) {
        // Requires a sequence whose long-form length, of one or two bytes, covers all bytes that follow (X.690 section
        // 8.1.3).
        let lengthBytes = der.count > 1 && der[0] == 0x30 ? Int(der[1]) - 0x80 : 0
        guard der.count <= Self.maximumBytes, (1...2).contains(lengthBytes), der.count > 2 + lengthBytes,
            der[2..<2 + lengthBytes].reduce(0, { $0 << 8 | Int($1) }) == der.count - 2 - lengthBytes
        else {
            throw BrowserConfigurationFailure(
                .certificate, "a certificate is not DER of at most 8 KB",
                remedy: "Give one certificate as DER (openssl x509 -outform DER).")
        }
        self.der = der
    }
}
