// SPDX-License-Identifier: Apache-2.0
package import BrowserPolicies

/// `org.baton.browser`: the organisation's settings for the worker's browser. Every key is optional.
///
/// The values are kept as they were written, so that the linter can name each invalid one.
package struct BrowserPayload: Hashable, Sendable {
    package var homePage: String?
    package var newTabPage: String?
    package var allowedAddresses: [String]
    package var blockedAddresses: [String]
    package var signInAddresses: [String]
    package var allowsPrinting: Bool
    /// Certificates in DER format, one per element.
    package var certificates: [[UInt8]]

    package init(
        homePage: String? = nil, newTabPage: String? = nil, allowedAddresses: [String] = [],
        blockedAddresses: [String] = [], signInAddresses: [String] = [], allowsPrinting: Bool = true,
        certificates: [[UInt8]] = []
    ) {
        self.homePage = homePage
        self.newTabPage = newTabPage
        self.allowedAddresses = allowedAddresses
        self.blockedAddresses = blockedAddresses
        self.signInAddresses = signInAddresses
        self.allowsPrinting = allowsPrinting
        self.certificates = certificates
    }

    init(fields: Fields) throws(FieldError) {
        homePage = try fields.optionalString(.homePage)
        newTabPage = try fields.optionalString(.newTabPage)
        allowedAddresses = try fields.optionalStrings(.allowedAddresses) ?? []
        blockedAddresses = try fields.optionalStrings(.blockedAddresses) ?? []
        signInAddresses = try fields.optionalStrings(.signInAddresses) ?? []
        allowsPrinting = try fields.optionalBoolean(.allowPrinting) ?? true
        certificates = []
        for element in try fields.optionalArray(.certificates) ?? [] {
            guard case .data(let bytes) = element else { throw FieldError(.certificates, .wrongType) }
            certificates.append(bytes)
        }
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .homePage: homePage.map(PropertyList.string),
            .newTabPage: newTabPage.map(PropertyList.string),
            .allowedAddresses: .array(allowedAddresses.map(PropertyList.string)),
            .blockedAddresses: .array(blockedAddresses.map(PropertyList.string)),
            .signInAddresses: signInAddresses.isEmpty ? nil : .array(signInAddresses.map(PropertyList.string)),
            .allowPrinting: .boolean(allowsPrinting),
            .certificates: .array(certificates.map(PropertyList.data)),
        ])
    }
}

extension BrowserPayload {
    /// Returns the settings of the browser, for a payload that the linter has accepted.
    ///
    /// - Throws: ``BrowserConfigurationFailure``, the first of ``problems``.
    package func configuration() throws(BrowserConfigurationFailure) -> BrowserConfiguration {
        var allowed: [AddressPattern] = []
        for text in allowedAddresses { allowed.append(try AddressPattern(text)) }
        var blocked: [AddressPattern] = []
        for text in blockedAddresses { blocked.append(try AddressPattern(text)) }
        var signIn: [AddressPattern] = []
        for text in signInAddresses { signIn.append(try AddressPattern(text)) }
        var authorities: [AuthorityCertificate] = []
        for der in certificates { authorities.append(try AuthorityCertificate(der: der)) }
        var pages: [WebAddress?] = []
        for text in [homePage, newTabPage] { pages.append(try text.map(WebAddress.init)) }
        return try BrowserConfiguration(
            homePage: pages[0], newTabPage: pages[1], allowed: allowed, blocked: blocked,
            allowsPrinting: allowsPrinting, signInAddresses: signIn, authorities: authorities)
    }

    /// The values that a browser could not apply, each with its key.
    var problems: [(key: PropertyKey, failure: BrowserConfigurationFailure)] {
        var found: [(key: PropertyKey, failure: BrowserConfigurationFailure)] = []
        func check(_ key: PropertyKey, _ body: () throws(BrowserConfigurationFailure) -> Void) {
            do throws(BrowserConfigurationFailure) { try body() } catch { found.append((key, error)) }
        }
        for (key, text) in [(PropertyKey.homePage, homePage), (.newTabPage, newTabPage)] {
            check(key) { () throws(BrowserConfigurationFailure) in _ = try text.map(WebAddress.init) }
        }
        for (key, list) in [
            (PropertyKey.allowedAddresses, allowedAddresses), (.blockedAddresses, blockedAddresses),
            (.signInAddresses, signInAddresses),
        ] {
            for text in list {
                check(key) { () throws(BrowserConfigurationFailure) in _ = try AddressPattern(text) }
            }
        }
        for der in certificates {
            check(.certificates) { () throws(BrowserConfigurationFailure) in _ = try AuthorityCertificate(der: der) }
        }
        // Checks for lists that are too long or contradict each other. These checks require values without any other
        // problem.
        if found.isEmpty {
            check(.blockedAddresses) { () throws(BrowserConfigurationFailure) in _ = try configuration() }
        }
        return found
    }
}
