// SPDX-License-Identifier: Apache-2.0
package import MDMProtocol

/// The settings of the single sign-on profiles for the browser: for which addresses the broker signs the browser in,
/// and how.
package struct SSOExtensionSettings: Sendable, Codable, Equatable {
    /// `URLs`: prefixes of addresses, as the profiles spell them.
    package var urls: [String] = []
    /// `AppCookieSSOAllowList`: bundle ids of apps that may request the headers that sign a browser in.
    package var cookieApps: Set<String> = []
    /// `disable_explicit_app_prompt`: whether the browser removes a page's request to prompt for the password.
    package var removesPrompts = false

    package init() {}

    /// Reads every installed profile for the broker's extension. Lists are merged. The flag is on if at least one
    /// profile sets it and none clears it.
    ///
    /// - Throws: ``RegistryFailure`` with the key whose value has the wrong type.
    package init(_ profiles: [SSOPayload]) throws(RegistryFailure) {
        var flags: [Bool] = []
        for profile in profiles {
            urls += profile.urls.filter { !urls.contains($0) }
            cookieApps.formUnion(try profile.extensionData.names(.appCookieSSOAllowList))
            if let flag = try profile.extensionData.flag(.disableExplicitAppPrompt) { flags.append(flag) }
        }
        removesPrompts = !flags.isEmpty && flags.allSatisfy(\.self)
    }
}

extension [String: PropertyList] {
    /// Returns the names in a list setting of the plug-in. Such a setting is one text with commas between the names.
    /// Spaces around names are ignored.
    ///
    /// - Throws: ``RegistryFailure`` for a value of a different type.
    func names(_ key: PropertyKey) throws(RegistryFailure) -> [String] {
        switch self[key.rawValue] {
        case nil: return []
        case .string(let text)?:
            return text.split(separator: ",").map { name in
                String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }.filter { !$0.isEmpty }
        default: throw RegistryFailure(.rules, key.rawValue)
        }
    }

    /// Returns a flag (0 or 1) of the plug-in; nil if the flag is missing.
    ///
    /// - Throws: ``RegistryFailure`` for any other value.
    func flag(_ key: PropertyKey) throws(RegistryFailure) -> Bool? {
        switch self[key.rawValue] {
        case nil: nil
        case .integer(0)?: false
        case .integer(1)?: true
        default: throw RegistryFailure(.rules, key.rawValue)
        }
    }
}
