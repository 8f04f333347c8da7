// SPDX-License-Identifier: Apache-2.0

extension ProfileLinter {
    func findings(in sso: SSOPayload, payload: String, of profile: Profile) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        if delivery == .enrollment {
            let message = "devices accept single sign-on settings only from their management server"
            findings.append(ProfileFinding(.ssoOutsideManagement, payload: payload, message))
        }
        switch sso.kind {
        case .redirect where sso.urls.isEmpty:
            findings.append(ProfileFinding(.ssoURLsMissing, payload: payload, "Type Redirect needs URLs"))
        case .redirect: break
        case .credential where !sso.hosts.isEmpty: break
        case .credential:
            findings.append(ProfileFinding(.ssoHostsMissing, payload: payload, "Type Credential needs Hosts"))
        case .other(let name):
            let message = "Type is \(name); it must be Redirect or Credential, with the capital"
            findings.append(ProfileFinding(.ssoType, payload: payload, message))
        }
        return findings + urlFindings(in: sso, payload: payload, of: profile)
            + switchFindings(in: sso.extensionData, payload: payload)
    }

    private func urlFindings(in sso: SSOPayload, payload: String, of profile: Profile) -> [ProfileFinding] {
        var seen = takenURLs
        for other in profile.payloads.prefix(while: { $0.identifier != payload }) {
            if case .extensibleSSO(let sso) = other.content { seen.formUnion(sso.urls.map(SSOURL.canonical)) }
        }
        return sso.urls.flatMap { url -> [ProfileFinding] in
            var findings = SSOURL.findings(url, payload: payload)
            if !seen.insert(SSOURL.canonical(url)).inserted {
                let message = "\(url) is listed twice, here or in another single sign-on profile of the device"
                findings.append(ProfileFinding(.ssoURLDuplicate, payload: payload, message))
            }
            return findings
        }
    }

    /// `sharedDeviceMode` is a real Boolean, the plug-in's flags are integers.
    private func switchFindings(in data: [String: PropertyList], payload: String) -> [ProfileFinding] {
        let name = PropertyKey.sharedDeviceMode.rawValue
        return data.sorted { $0.key < $1.key }.compactMap { key, value in
            if key == name {
                if case .boolean = value { return nil }
                let message = "\(name) must be a Boolean, not a \(value.kind)"
                return ProfileFinding(.ssoSharedModeType, payload: payload, message)
            }
            if key.lowercased() == name.lowercased() {
                return ProfileFinding(.ssoSharedModeSpelling, payload: payload, "\(key) must be spelt \(name)")
            }
            if SSOURL.integerFlags.contains(key), value.kind != "integer" {
                return ProfileFinding(.ssoFlagType, payload: payload, "\(key) must be an integer, not a \(value.kind)")
            }
            if SSOURL.nameLists.contains(key), value.kind != "string" {
                let message = "\(key) must be a string with commas between the names, not a \(value.kind)"
                return ProfileFinding(.ssoListType, payload: payload, message)
            }
            return nil
        }
    }
}

/// The rules for URLs of redirect extensions.
enum SSOURL {
    static let integerFlags: Set<String> = [
        PropertyKey.enableSSOOnAllManagedApps.rawValue, "browser_sso_interaction_enabled",
        "disable_explicit_app_prompt",
        "disable_explicit_app_prompt_and_autologin", "disable_explicit_native_app_prompt",
        "disable_explicit_native_app_prompt_and_autologin", "disable_inapp_sso_signin", "admin_debug_mode_enabled",
    ]

    static let nameLists = Set(
        [PropertyKey.appAllowList, .appBlockList, .appPrefixAllowList].map(\.rawValue) + ["AppCookieSSOAllowList"])

    /// The form in which two URLs are the same to a device: scheme and host without case, an empty path as "/".
    static func canonical(_ url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let hostEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = rest[hostEnd...]
        return url[..<hostEnd].lowercased() + (path.isEmpty ? "/" : path)
    }

    static func findings(_ url: String, payload: String) -> [ProfileFinding] {
        let lowered = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else {
            return [ProfileFinding(.ssoURLScheme, payload: payload, "\(url) is neither https:// nor http://")]
        }
        var findings: [ProfileFinding] = []
        if url.contains("?") || url.contains("#") {
            let message = "\(url) has a query or a fragment; URLs are prefixes and may not"
            findings.append(ProfileFinding(.ssoURLQueryOrFragment, payload: payload, message))
        }
        let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let isClean = url.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
        if authority.isEmpty || authority.contains("@") || !isClean {
            let message = "\(url) has no host, or user information, or blanks, or characters outside ASCII"
            findings.append(ProfileFinding(.ssoURLMalformed, payload: payload, message))
        }
        return findings
    }
}

extension String {
    /// Where `part` first stands; FoundationEssentials has no such search.
    func range(of part: String) -> Range<String.Index>? {
        let pattern = Array(part.utf8)
        var start = utf8.startIndex
        while start != utf8.endIndex {
            if utf8[start...].starts(with: pattern) {
                return start..<utf8.index(start, offsetBy: pattern.count)
            }
            start = utf8.index(after: start)
        }
        return nil
    }
}
