// SPDX-License-Identifier: Apache-2.0
package import DeviceManagement

/// For which addresses the broker signs a browser in, and how, as the single sign-on profiles say it.
package struct SSOExtensionSettings: Sendable, Codable, Equatable {
    /// `URLs`: prefixes of addresses, as the profiles spell them.
    package var urls: [String] = []
    /// `AppCookieSSOAllowList`: bundle ids of apps that may ask for a browser's headers themselves.
    package var cookieApps: Set<String> = []
    /// `disable_explicit_app_prompt`: whether the browser leaves out a page's wish that the person types a password again.
    package var removesPrompts = false

    package init() {}

    /// Reads every installed profile for the broker's extension: lists add up; the flag is on where one says so and none says
    /// otherwise.
    ///
    /// - Throws: ``RegistryFailure`` that names the key which is of another type.
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
    /// The names of a list of the plug-in: a text, separated by commas; blanks around them do not count.
    ///
    /// - Throws: ``RegistryFailure`` for another type.
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

    /// A flag of the plug-in: 0 or 1; nil where it is missing.
    ///
    /// - Throws: ``RegistryFailure`` for another value.
    func flag(_ key: PropertyKey) throws(RegistryFailure) -> Bool? {
        switch self[key.rawValue] {
        case nil: nil
        case .integer(0)?: false
        case .integer(1)?: true
        default: throw RegistryFailure(.rules, key.rawValue)
        }
    }
}
