// SPDX-License-Identifier: Apache-2.0

/// Single sign-on settings must come from the management server.
enum SSOFromMDM: ProfileRule {
    static let code = ProfileFinding.Code.ssoOutsideMDM
    static let source = "Apple, com.apple.extensiblesso.yaml, `supportedOS`, `allowmanualinstall: false`"
    static let remedy = "Move the payload into a profile that the management server pushes."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .enrollment else { return [] }
        return subject.singleSignOns.map {
            ProfileRuleBreach(
                in: $0.identifier, "devices accept single sign-on settings only from their management server")
        }
    }
}

/// An extension's identifier must be a bundle identifier.
enum ExtensionIdentifierForm: ProfileRule {
    static let code = ProfileFinding.Code.ssoExtensionMalformed
    static let source =
        "Apple, com.apple.extensiblesso.yaml, `ExtensionIdentifier`: \"The bundle identifier of the app extension\""
    static let remedy = "Set ExtensionIdentifier to letters, digits and hyphens with dots between them."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.filter { !isBundleIdentifier($0.sso.extensionIdentifier) }.map {
            ProfileRuleBreach(
                in: $0.identifier, "ExtensionIdentifier \($0.sso.extensionIdentifier) is not a bundle identifier")
        }
    }

    static func isBundleIdentifier(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
                            || (0x30...0x39).contains($0)
                            || $0 == UInt8(ascii: "-")
                    }
            }
    }
}

/// Warns about an extension identifier that is nearly the same as a known one, because such an identifier has no
/// effect.
enum ExtensionIdentifierSpelling: ProfileRule {
    static let code = ProfileFinding.Code.ssoExtensionSpelling
    static let severity = ProfileFinding.Severity.warning
    static let source = "Microsoft, Enterprise SSO plug-in for Apple devices, manual configuration: `Extension ID`"
    static let remedy =
        "Set ExtensionIdentifier to \(SSOPreset.microsoft2020.extensionIdentifier) for iPads and Baton's devices."

    private static let known = [
        SSOPreset.microsoft2020.extensionIdentifier, "com.microsoft.CompanyPortalMac.ssoextension",
    ]

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.compactMap { entry in
            let name = entry.sso.extensionIdentifier
            // Another rule refuses a malformed identifier.
            guard ExtensionIdentifierForm.isBundleIdentifier(name) else { return nil }
            return Spelling.meant(by: name, among: known).map {
                ProfileRuleBreach(in: entry.identifier, "ExtensionIdentifier \(name) looks like \($0)")
            }
        }
    }
}

/// Warns about a team identifier, which has an effect only on a Mac.
enum TeamIdentifierIgnored: ProfileRule {
    static let code = ProfileFinding.Code.ssoTeamIdentifier
    static let severity = ProfileFinding.Severity.warning
    static let source =
        "Apple, com.apple.extensiblesso.yaml, `TeamIdentifier`: \"required on macOS and ignored elsewhere\""
    static let remedy = "Remove TeamIdentifier, unless the profile is also for Macs."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.filter { $0.sso.teamIdentifier != nil }.map {
            ProfileRuleBreach(in: $0.identifier, "TeamIdentifier is ignored on iPads and on Baton's devices")
        }
    }
}

/// The behaviour while the screen is locked must be one of two exact values.
enum ScreenLockedBehavior: ProfileRule {
    static let code = ProfileFinding.Code.ssoScreenLocked
    static let source = "Apple, com.apple.extensiblesso.yaml, `ScreenLockedBehavior`, `rangelist`: Cancel, DoNotHandle"
    static let remedy = "Set ScreenLockedBehavior to the string Cancel or DoNotHandle, with these capitals."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.rawPayloads.compactMap { members in
            guard members[PropertyKey.payloadType.rawValue] == .string(Payload.Kind.extensibleSSO.rawValue),
                let value = members[PropertyKey.screenLockedBehavior.rawValue],
                value != .string("Cancel"), value != .string("DoNotHandle")
            else { return nil }
            var identifier: String?
            if case .string(let text) = members[PropertyKey.payloadIdentifier.rawValue] { identifier = text }
            let shown = if case .string(let text) = value { text } else { "a \(value.kind)" }
            return ProfileRuleBreach(in: identifier, "ScreenLockedBehavior is \(shown)")
        }
    }
}

/// The type of single sign-on must be one of two exact values.
enum SSOType: ProfileRule {
    static let code = ProfileFinding.Code.ssoType
    static let source = "Apple, com.apple.extensiblesso.yaml, `Type`, `rangelist`: Credential, Redirect"
    static let remedy = "Set Type to Redirect or Credential, with the capital."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.compactMap { entry in
            guard case .other(let name) = entry.sso.kind else { return nil }
            return ProfileRuleBreach(in: entry.identifier, "Type is \(name)")
        }
    }
}

/// An extension of type Redirect needs URLs.
enum RedirectHasURLs: ProfileRule {
    static let code = ProfileFinding.Code.ssoURLsMissing
    static let source = "Apple, com.apple.extensiblesso.yaml, `URLs`: \"Required for 'Redirect' payloads\""
    static let remedy = "List the sign-in addresses of the identity platform under URLs."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.filter { $0.sso.kind == .redirect && $0.sso.urls.isEmpty }.map {
            ProfileRuleBreach(in: $0.identifier, "Type Redirect needs URLs")
        }
    }
}

/// An extension of type Credential needs hosts.
enum CredentialHasHosts: ProfileRule {
    static let code = ProfileFinding.Code.ssoHostsMissing
    static let source = "Apple, com.apple.extensiblesso.yaml, `Hosts`: \"Required for 'Credential' payloads\""
    static let remedy = "List the host names under Hosts, or set Type to Redirect."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.singleSignOns.filter { $0.sso.kind == .credential && $0.sso.hosts.isEmpty }.map {
            ProfileRuleBreach(in: $0.identifier, "Type Credential needs Hosts")
        }
    }
}

/// A URL must be http or https.
enum SSOURLScheme: ProfileRule {
    static let code = ProfileFinding.Code.ssoURLScheme
    static let source = "Apple, com.apple.extensiblesso.yaml, `URLs`: \"need to begin with 'http://' or 'https://'\""
    static let remedy = "Begin the URL with https://."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.urls { SSOURL($0) == nil ? "\($0) is neither https:// nor http://" : nil }
    }
}

/// A URL must end with its path, because devices use it as a prefix.
enum SSOURLIsPrefix: ProfileRule {
    static let code = ProfileFinding.Code.ssoURLQueryOrFragment
    static let source =
        "Apple, com.apple.extensiblesso.yaml, `URLs`: \"Doesn't allow query parameters and URL fragments\""
    static let remedy = "Cut the URL off before its question mark or number sign."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.urls { url in
            guard SSOURL(url) != nil, url.contains("?") || url.contains("#") else { return nil }
            return "\(url) has a query or a fragment, which a URL prefix must not have"
        }
    }
}

/// A URL must have a host, no user information, and no character that must be encoded.
enum SSOURLForm: ProfileRule {
    static let code = ProfileFinding.Code.ssoURLMalformed
    static let source = "Apple, com.apple.extensiblesso.yaml, `URLs`: \"URL prefixes of identity providers\"; RFC 3986"
    static let remedy = "Give scheme, host and path, such as https://login.example/."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.urls { url in
            guard let authority = SSOURL(url)?.authority else { return nil }
            let isClean = url.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
            guard authority.isEmpty || authority.contains("@") || !isClean else { return nil }
            return "\(url) has no host, or contains user information, blanks or characters outside ASCII"
        }
    }
}

/// No URL may occur twice on a device.
enum UniqueSSOURLs: ProfileRule {
    static let code = ProfileFinding.Code.ssoURLDuplicate
    static let source =
        "Apple, com.apple.extensiblesso.yaml, `URLs`: \"the URLs of all installed Extensible SSO payloads are unique\""
    static let remedy = "Remove the URL here, or the other profile from the device."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        var seen = subject.takenURLs
        return subject.urls { url in
            guard !seen.insert(SSOURL.canonical(url)).inserted else { return nil }
            return "\(url) is listed twice, here or in another single sign-on profile of the device"
        }
    }
}

extension LintedProfile {
    /// Returns the breaches that `judge` finds in the single sign-on URLs, in order.
    fileprivate func urls(_ judge: (String) -> String?) -> [ProfileRuleBreach] {
        singleSignOns.flatMap { entry in
            entry.sso.urls.compactMap(judge).map { ProfileRuleBreach(in: entry.identifier, $0) }
        }
    }
}

/// The parts of an http or https URL that the rules need.
struct SSOURL {
    /// The part between the scheme and the path.
    let authority: Substring

    /// Returns nil for any other scheme.
    init?(_ url: String) {
        let lowered = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else { return nil }
        authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    /// Returns the form in which a device compares URLs: scheme and host in lower case, an empty path as "/".
    static func canonical(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let hostEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = rest[hostEnd...]
        return url[..<hostEnd].lowercased() + (path.isEmpty ? "/" : path)
    }
}
