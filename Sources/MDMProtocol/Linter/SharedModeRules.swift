// SPDX-License-Identifier: Apache-2.0

/// The switch of shared device mode must be a Boolean, unlike the plug-in's flags.
enum SharedModeIsBoolean: ProfileRule {
    static let code = ProfileFinding.Code.ssoSharedModeType
    static let source =
        "Microsoft, Enterprise SSO plug-in for Apple devices, configuration of shared device mode: `sharedDeviceMode`"
    static let remedy = "Set \(PropertyKey.sharedDeviceMode.rawValue) to <true/> or <false/>."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        let name = PropertyKey.sharedDeviceMode.rawValue
        return subject.extensionData { key, value in
            guard key == name, value.kind != "boolean" else { return nil }
            return "\(name) must be a Boolean, not a \(value.kind)"
        }
    }
}

/// The switch of shared device mode must have its exact name.
enum SharedModeSpelling: ProfileRule {
    static let code = ProfileFinding.Code.ssoSharedModeSpelling
    static let source =
        "Microsoft, Enterprise SSO plug-in for Apple devices, configuration of shared device mode: `sharedDeviceMode`"
    static let remedy =
        "Spell the key \(PropertyKey.sharedDeviceMode.rawValue), with these capitals and without separators."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        let name = PropertyKey.sharedDeviceMode.rawValue
        return subject.extensionData { key, _ in
            Spelling.meant(by: key, among: [name]).map { "\(key) must be spelt \($0)" }
        }
    }
}

/// Warns about a key that is nearly the same as one of the plug-in's own keys, because such a key has no effect.
enum PluginKeySpelling: ProfileRule {
    static let code = ProfileFinding.Code.ssoKeySpelling
    static let severity = ProfileFinding.Severity.warning
    static let source = "Microsoft, Enterprise SSO plug-in for Apple devices, more configuration options: names of keys"
    static let remedy = "Correct the spelling; a key that the plug-in does not know has no effect."

    private static let known = PluginFlagIsInteger.flags.union(PluginListIsString.lists).union([
        "device_registration", "preferred_auth_config", "browser_sso_disable_mfa",
        "disable_browser_sso_intercept_all", PropertyKey.sharedDeviceMode.rawValue,
    ])

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.extensionData { key, _ in
            guard let meant = Spelling.meant(by: key, among: known.sorted()),
                meant != PropertyKey.sharedDeviceMode.rawValue
            else { return nil }
            return "\(key) looks like \(meant)"
        }
    }
}

/// The plug-in's flags must be integers.
enum PluginFlagIsInteger: ProfileRule {
    static let code = ProfileFinding.Code.ssoFlagType
    static let source =
        "Microsoft, Enterprise SSO plug-in for Apple devices, more configuration options: flags of type Integer"
    static let remedy = "Set the flag to <integer>0</integer> or <integer>1</integer>."

    static let flags: Set<String> = [
        PropertyKey.enableSSOOnAllManagedApps.rawValue, "browser_sso_interaction_enabled",
        PropertyKey.disableExplicitAppPrompt.rawValue, "disable_explicit_app_prompt_and_autologin",
        "disable_explicit_native_app_prompt", "disable_explicit_native_app_prompt_and_autologin",
        "disable_inapp_sso_signin", "admin_debug_mode_enabled",
    ]

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.extensionData { key, value in
            guard flags.contains(key), value.kind != "integer" else { return nil }
            return "\(key) must be an integer, not a \(value.kind)"
        }
    }
}

/// The plug-in's lists of apps must be strings.
enum PluginListIsString: ProfileRule {
    static let code = ProfileFinding.Code.ssoListType
    static let source =
        "Microsoft, Enterprise SSO plug-in for Apple devices, more configuration options: lists of type String"
    static let remedy = "Write the names into one string, with commas between them."

    static let lists = Set(
        [PropertyKey.appAllowList, .appBlockList, .appPrefixAllowList, .appCookieSSOAllowList].map(\.rawValue))

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.extensionData { key, value in
            guard lists.contains(key), value.kind != "string" else { return nil }
            return "\(key) must be a string with commas between the names, not a \(value.kind)"
        }
    }
}

extension LintedProfile {
    /// Returns the breaches that `judge` finds in the extension data, in the order of the keys' names.
    fileprivate func extensionData(_ judge: (String, PropertyList) -> String?) -> [ProfileRuleBreach] {
        singleSignOns.flatMap { entry in
            entry.sso.extensionData.sorted { $0.key < $1.key }.compactMap { judge($0.key, $0.value) }
                .map { ProfileRuleBreach(in: entry.identifier, $0) }
        }
    }
}
