// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import JSON

/// Chromium's policies for a worker's browser: one file in `/etc/chromium/policies/managed`.
///
/// The names are those of Chromium 156. A test asks Chromium whether it knows each policy and applies it.
package enum ChromiumPolicies {
    /// The content of the file as a JSON object.
    package static func make(_ configuration: BrowserConfiguration, in context: PolicyContext) -> JSONValue {
        var policies = fixed
        policies.merge(pages(configuration)) { $1 }
        policies.merge(addresses(configuration, context)) { $1 }
        policies.merge(extensions(context.singleSignOn)) { $1 }
        policies["PrintingEnabled"] = .bool(configuration.allowsPrinting)
        if let downloads = context.downloads { policies["DownloadDirectory"] = .string(downloads) }
        if !configuration.authorities.isEmpty {
            policies["CACertificates"] = .array(
                configuration.authorities.map { .string(Data($0.der).base64EncodedString()) })
        }
        return .object(policies)
    }

    /// Policies that are the same on every shared device.
    private static var fixed: [String: JSONValue] {
        [String: JSONValue](uniqueKeysWithValues: off.map { ($0, .bool(false)) }).merging(chosen) { $1 }
    }

    /// Features that are turned off.
    private static let off = [
        // Passwords and forms.
        "PasswordManagerEnabled", "PasswordManagerPasskeysEnabled", "PasswordLeakDetectionEnabled",
        "PasswordSharingEnabled", "PaymentMethodQueryEnabled", "ImportAutofillFormData", "ImportBookmarks",
        "ImportHistory", "ImportHomepage", "ImportSavedPasswords", "ImportSearchEngine",
        // Guests and other people's profiles.
        "BrowserGuestModeEnabled", "BrowserAddPersonEnabled", "SigninInterceptionEnabled",
        // Features that run without a window or leave something behind when the browser exits.
        "BackgroundModeEnabled", "WebAppInstallByUserEnabled", "DefaultBrowserSettingEnabled",
        "PromptForDownloadLocation",
        // The warning bar about command-line options. A worker cannot change them.
        "CommandLineFlagSecurityWarningsEnabled",
        // Features that send reports or requests to the vendor.
        "AlternateErrorPagesEnabled", "BrowserLabsEnabled", "BrowserNetworkTimeQueriesEnabled",
        "BuiltInDnsClientEnabled",
        "ComponentUpdatesEnabled", "DNSInterceptionChecksEnabled", "DomainReliabilityAllowed", "EnableMediaRouter",
        "FeedbackSurveysEnabled", "LiveCaptionEnabled", "MediaRecommendationsEnabled", "MetricsReportingEnabled",
        "PromotionsEnabled", "SafeBrowsingDeepScanningEnabled", "SafeBrowsingSurveysEnabled", "SearchSuggestEnabled",
        "ShoppingListEnabled", "SpellCheckServiceEnabled", "TranslateEnabled",
        "UrlKeyedAnonymizedDataCollectionEnabled",
        "UserFeedbackAllowed", "WebRtcEventLogCollectionAllowed", "WebRtcTextLogCollectionAllowed",
        "AccessibilityImageLabelsEnabled",
        // Native messaging hosts that a user installed. Only the system's manifests are read.
        "NativeMessagingUserLevelHosts",
    ]

    private static let chosen: [String: JSONValue] = [
        "AutofillPredictionSettings": .integer(2),
        "AutofillSettings": .array([
            .object(["url_pattern": .string("*"), "blocked_types": .array([.string("all")])])
        ]),
        "BlockExternalExtensions": .bool(true),
        "BrowserSignin": .integer(0),
        // A worker can neither add a certification authority nor distrust one.
        "CACertificateManagementAllowed": .integer(2),
        "ChromeVariations": .integer(2),
        "DeveloperToolsAvailability": .integer(2),
        "DnsOverHttpsMode": .string("off"),
        // Private windows have no extension, so their pages would have no single sign-on.
        "IncognitoModeAvailability": .integer(1),
        "IntranetRedirectBehavior": .integer(1),
        "NativeMessagingBlocklist": .array([.string("*")]),
        "NetworkPredictionOptions": .integer(2),
        "ProfilePickerOnStartupAvailability": .integer(1),
        "SafeBrowsingProtectionLevel": .integer(0),
        "SyncDisabled": .bool(true),
    ]

    private static func pages(_ configuration: BrowserConfiguration) -> [String: JSONValue] {
        let newTab = configuration.newTabPage ?? configuration.homePage
        var policies: [String: JSONValue] = [
            // Chromium's own new tab page requests content from the vendor.
            "NewTabPageLocation": .string(newTab?.text ?? "about:blank"),
            "HomepageIsNewTabPage": .bool(configuration.homePage == nil),
            "ShowHomeButton": .bool(configuration.homePage != nil),
            "RestoreOnStartup": .integer(configuration.homePage == nil ? 5 : 4),
        ]
        if let home = configuration.homePage {
            policies["HomepageLocation"] = .string(home.text)
            policies["RestoreOnStartupURLs"] = .array([.string(home.text)])
        }
        return policies
    }

    private static func addresses(
        _ configuration: BrowserConfiguration, _ context: PolicyContext
    ) -> [String: JSONValue] {
        guard !configuration.blocked.isEmpty else { return [:] }
        var allowed = (context.needed + configuration.allowed).map(\.chromium)
        if let pages = context.startPages { allowed.append("file://" + pages + "/") }
        return [
            "URLBlocklist": .array(
                configuration.blocked.flatMap { blocklist($0, sparing: context.needed) }.map(JSONValue.string)),
            "URLAllowlist": .array(allowed.map(JSONValue.string)),
        ]
    }

    /// Returns the entries of the block list for a blocked pattern. A needed host must open even if the blocked pattern
    /// is more specific. Such a pattern is blocked only over the schemes that are not needed.
    private static func blocklist(_ pattern: AddressPattern, sparing needed: [AddressPattern]) -> [String] {
        let spared = needed.filter { $0.path.isEmpty && pattern.takesPrecedence(over: $0) }
        guard !spared.isEmpty else { return [pattern.chromium] }
        return ["http", "https"].filter { scheme in
            pattern.matches(scheme: scheme) && !spared.contains { $0.matches(scheme: scheme) }
        }.map(pattern.chromium(scheme:))
    }

    private static func extensions(_ singleSignOn: BrowserExtension?) -> [String: JSONValue] {
        var settings: [String: JSONValue] = ["*": .object(["installation_mode": .string("blocked")])]
        guard let singleSignOn else { return ["ExtensionSettings": .object(settings)] }
        settings[singleSignOn.chromiumID] = .object([
            "installation_mode": .string("force_installed"), "update_url": .string(singleSignOn.chromiumUpdateURL),
        ])
        return [
            "ExtensionSettings": .object(settings),
            "NativeMessagingAllowlist": .array([.string(singleSignOn.host)]),
        ]
    }
}
