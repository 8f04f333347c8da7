// SPDX-License-Identifier: Apache-2.0
internal import BrowserPolicies
internal import SwiftASN1
internal import X509

/// Browser settings must come from the management server.
enum BrowserFromMDM: ProfileRule {
    static let code = ProfileFinding.Code.browserOutsideMDM
    static let source = "Baton"
    static let remedy = "Move the payload into a profile that the management server pushes."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .enrollment else { return [] }
        return subject.browsers.map {
            ProfileRuleBreach(in: $0.identifier, "devices accept browser settings only from their management server")
        }
    }
}

/// A device must have at most one browser payload.
enum OneBrowser: ProfileRule {
    static let code = ProfileFinding.Code.browserTwice
    static let source = "Baton: two payloads could contradict each other"
    static let remedy = "Keep only one org.baton.browser payload on the device; replace or remove the other profile."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.browsers.dropFirst(subject.taken.contains(.browser) ? 0 : 1).map {
            ProfileRuleBreach(in: $0.identifier, "the device has another org.baton.browser payload")
        }
    }
}

/// A browser payload must not contain unknown keys: a misspelt key would leave the browser without the intended
/// restriction.
enum KnownBrowserKeys: ProfileRule {
    static let code = ProfileFinding.Code.browserKey
    static let source = "Baton: an address that is not blocked is open"
    static let remedy =
        "Use only HomePage, NewTabPage, AllowedAddresses, BlockedAddresses, SignInAddresses, AllowPrinting and Certificates."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        KnownPayloadKeys.unknown(in: subject) { $0 == .browser }
    }
}

/// A browser must be able to open a page's address.
enum BrowserAddresses: ProfileRule {
    static let code = ProfileFinding.Code.browserAddress
    static let source = "Baton; RFC 3986"
    static let remedy = "Give an address with https:// or http://, a host, and no user name."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] { subject.browserProblems(.address) }
}

/// Chromium and Firefox must interpret an address pattern in the same way.
enum BrowserPatterns: ProfileRule {
    static let code = ProfileFinding.Code.browserPattern
    static let source = "Baton: browsers ignore a pattern that they cannot read"
    static let remedy =
        "Give *, or a host such as example.org, .example.org (without the names below it) or https://example.org/shop."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] { subject.browserProblems(.pattern) }
}

/// A blocked pattern must not be more specific than an allowed pattern: Chromium would block the address, and Firefox
/// would open it.
enum BrowserPatternConflicts: ProfileRule {
    static let code = ProfileFinding.Code.browserPatternConflict
    static let source = "Baton: Chromium follows the most specific pattern, Firefox every exception"
    static let remedy =
        "Remove the blocked address, or allow narrower addresses, such as example.org/shop in place of example.org."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] { subject.browserProblems(.patternConflict) }
}

/// The lists of patterns and certificates must not exceed the browser's limits.
enum BrowserListLengths: ProfileRule {
    static let code = ProfileFinding.Code.browserList
    static let source = "Baton"
    static let remedy =
        "Give at most 500 patterns in each list, at most 64 KB of patterns in total, and at most 8 certificates."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] { subject.browserProblems(.listTooLong) }
}

/// A certificate that the browser trusts must belong to a certification authority.
enum BrowserAuthorities: ProfileRule {
    static let code = ProfileFinding.Code.browserCertificate
    static let source = "Baton; RFC 5280 section 4.2.1.9"
    static let remedy = "Give the certificate of a certification authority as DER, of at most 8 KB."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        let unreadable = subject.browserProblems(.certificate)
        return unreadable
            + (unreadable.isEmpty
                ? subject.browsers.flatMap { entry in
                    entry.browser.certificates.filter { !isAuthority($0) }.map { _ in
                        ProfileRuleBreach(
                            in: entry.identifier,
                            "Certificates has an entry that is not a certification authority's certificate")
                    }
                } : [])
    }

    private static func isAuthority(_ der: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: der),
            case .isCertificateAuthority? = try? certificate.extensions.basicConstraints
        else { return false }
        return true
    }
}

extension LintedProfile {
    /// The browser payloads, each with its identifier.
    fileprivate var browsers: [(identifier: String, browser: BrowserPayload)] {
        profile.payloads.compactMap { payload in
            if case .browser(let browser) = payload.content { (payload.identifier, browser) } else { nil }
        }
    }

    /// Returns the breaches in the browser payloads: one for each value that has the problem `code`.
    fileprivate func browserProblems(_ code: BrowserConfigurationFailure.Code) -> [ProfileRuleBreach] {
        browsers.flatMap { entry in
            entry.browser.problems.filter { $0.failure.code == code }.map {
                ProfileRuleBreach(in: entry.identifier, "\($0.key.rawValue): \($0.failure.cause)")
            }
        }
    }
}
