// SPDX-License-Identifier: Apache-2.0

/// What an organisation decides about the worker's browser; everything else is the same on every shared device.
package struct BrowserConfiguration: Sendable, Hashable {
    /// The page of the home button and of the first window.
    package let homePage: WebAddress?
    /// The page of a new tab; the home page where it is missing, and an empty page where both are.
    package let newTabPage: WebAddress?
    /// Addresses that may be opened although ``blocked`` names them.
    package let allowed: [AddressPattern]
    package let blocked: [AddressPattern]
    package let allowsPrinting: Bool
    /// Certification authorities that the browser trusts beside the machine's own.
    package let authorities: [AuthorityCertificate]

    /// What both browsers accept and a person can still review; Chromium ends at 1000.
    package static let maximumPatterns = 500
    /// Bytes of all patterns together, so that a configuration fits into one message.
    package static let maximumPatternBytes = 64 << 10
    package static let maximumAuthorities = 8

    /// The configuration of a device whose organisation has decided nothing.
    package static let standard = BrowserConfiguration()

    private init() {
        (homePage, newTabPage, allowed, blocked, allowsPrinting, authorities) = (nil, nil, [], [], true, [])
    }

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_list_too_long`.
    package init(
        homePage: WebAddress? = nil, newTabPage: WebAddress? = nil, allowed: [AddressPattern] = [],
        blocked: [AddressPattern] = [], allowsPrinting: Bool = true, authorities: [AuthorityCertificate] = []
    ) throws(BrowserConfigurationFailure) {
        for (count, maximum, name) in [
            (allowed.count, Self.maximumPatterns, "allowed addresses"),
            (blocked.count, Self.maximumPatterns, "blocked addresses"),
            (authorities.count, Self.maximumAuthorities, "certificates"),
        ] where count > maximum {
            throw BrowserConfigurationFailure(
                .listTooLong, "the list of \(name) has \(count) entries", remedy: "Give \(maximum) or fewer.")
        }
        guard (allowed + blocked).reduce(0, { $0 + $1.text.utf8.count }) <= Self.maximumPatternBytes else {
            throw BrowserConfigurationFailure(
                .listTooLong, "the patterns have more than 64 KB together", remedy: "Give fewer or shorter ones.")
        }
        self.homePage = homePage
        self.newTabPage = newTabPage
        self.allowed = allowed
        self.blocked = blocked
        self.allowsPrinting = allowsPrinting
        self.authorities = authorities
    }

    /// Whether the browser would open the address; an allowed pattern wins over a blocked one, as in both browsers' default.
    package func allows(_ address: WebAddress) -> Bool {
        allowed.contains { $0.matches(address) } || !blocked.contains { $0.matches(address) }
    }
}

/// The DER of a certification authority's certificate, with its outer form checked.
package struct AuthorityCertificate: Sendable, Hashable {
    package let der: [UInt8]

    package static let maximumBytes = 8 << 10

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_certificate_invalid`.
    package init(der: [UInt8]) throws(BrowserConfigurationFailure) {
        // A sequence whose long-form length of one or two bytes covers all that follows (X.690 section 8.1.3).
        let lengthBytes = der.count > 1 && der[0] == 0x30 ? Int(der[1]) - 0x80 : 0
        guard der.count <= Self.maximumBytes, (1...2).contains(lengthBytes), der.count > 2 + lengthBytes,
            der[2..<2 + lengthBytes].reduce(0, { $0 << 8 | Int($1) }) == der.count - 2 - lengthBytes
        else {
            throw BrowserConfigurationFailure(
                .certificate, "a certificate is no DER of at most 8 KB",
                remedy: "Give one certificate as DER (openssl x509 -outform DER).")
        }
        self.der = der
    }
}
