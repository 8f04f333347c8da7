// SPDX-License-Identifier: Apache-2.0
package import JSON

/// Firefox's policies for a worker's browser: `policies.json` in `/usr/share/firefox-esr/distribution`.
package enum FirefoxPolicies {
    /// The content of the file as a JSON object.
    package static func make(_ configuration: BrowserConfiguration, in context: PolicyContext) -> JSONValue {
        var policies = fixed
        policies["PrintingEnabled"] = .bool(configuration.allowsPrinting)
        policies["NewTabPage"] = .bool(false)
        policies["Homepage"] = homepage(configuration)
        if let downloads = context.downloads { policies["DownloadDirectory"] = .string(downloads) }
        if !context.authorityFiles.isEmpty {
            policies["Certificates"] = .object(["Install": .array(context.authorityFiles.map(JSONValue.string))])
        }
        if !configuration.blocked.isEmpty { policies["WebsiteFilter"] = filter(configuration, context) }
        policies["ExtensionSettings"] = extensions(context.singleSignOn)
        policies["Preferences"] = preferences(context.singleSignOn)
        return .object(["policies": .object(policies)])
    }

    /// Policies that are the same on every shared device.
    private static var fixed: [String: JSONValue] {
        var policies = [String: JSONValue](uniqueKeysWithValues: on.map { ($0, .bool(true)) })
        for name in off { policies[name] = .bool(false) }
        return policies.merging(chosen) { $1 }
    }

    private static let on = [
        "BlockAboutAddons", "BlockAboutConfig", "BlockAboutProfiles", "BlockAboutSupport", "DisableAppUpdate",
        "DisableDeveloperTools", "DisableFeedbackCommands", "DisableFirefoxAccounts", "DisableFirefoxScreenshots",
        "DisableFirefoxStudies", "DisableFormHistory", "DisableMasterPasswordCreation", "DisablePrivateBrowsing",
        "DisableProfileImport",
        "DisableProfileRefresh", "DisableSafeMode", "DisableTelemetry", "DontCheckDefaultBrowser", "NoDefaultBookmarks",
    ]

    private static let off = [
        // With a file dialog, a person could overwrite any file to which the browser can write, such as its own
        // extension.
        "AllowFileSelectionDialogs",
        "AutofillAddressEnabled", "AutofillCreditCardEnabled", "BackgroundAppUpdate", "CaptivePortal",
        "ExtensionUpdate",
        "NetworkPrediction", "OfferToSaveLogins", "PasswordManagerEnabled", "PromptForDownloadLocation",
        "SearchSuggestEnabled", "TranslateEnabled",
    ]

    private static let chosen: [String: JSONValue] = [
        "DNSOverHTTPS": .object(["Enabled": .bool(false), "Locked": .bool(true)]),
        "FirefoxSuggest": .object([
            "ImproveSuggest": .bool(false), "Locked": .bool(true), "SponsoredSuggestions": .bool(false),
            "WebSuggestions": .bool(false),
        ]),
        // A chat beside a page would send the page's content to another company.
        "GenerativeAI": .object([
            "Chatbot": .bool(false), "Enabled": .bool(false), "LinkPreviews": .bool(false), "Locked": .bool(true),
            "SmartWindow": .bool(false), "TabGroups": .bool(false),
        ]),
        // Otherwise any page could offer another extension with the id of Baton's extension.
        "InstallAddonsPermission": .object(["Default": .bool(false)]),
        "OverrideFirstRunPage": .string(""),
        "OverridePostUpdatePage": .string(""),
        "UserMessaging": .object([
            "ExtensionRecommendations": .bool(false), "FeatureRecommendations": .bool(false), "Locked": .bool(true),
            "MoreFromMozilla": .bool(false), "SkipOnboarding": .bool(true), "UrlbarInterventions": .bool(false),
        ]),
    ]

    private static func homepage(_ configuration: BrowserConfiguration) -> JSONValue {
        guard let home = configuration.homePage else {
            return .object(["StartPage": .string("none"), "Locked": .bool(true)])
        }
        return .object(["URL": .string(home.text), "StartPage": .string("homepage"), "Locked": .bool(true)])
    }

    private static func filter(_ configuration: BrowserConfiguration, _ context: PolicyContext) -> JSONValue {
        var exceptions = (context.needed + configuration.allowed).map(\.firefox)
        if let pages = context.startPages { exceptions.append("file://" + pages + "/*") }
        return .object([
            "Block": .array(configuration.blocked.map { .string($0.firefox) }),
            "Exceptions": .array(exceptions.map(JSONValue.string)),
        ])
    }

    private static func extensions(_ singleSignOn: BrowserExtension?) -> JSONValue {
        var settings: [String: JSONValue] = ["*": .object(["installation_mode": .string("blocked")])]
        if let singleSignOn {
            settings[singleSignOn.firefoxID] = .object([
                "installation_mode": .string("force_installed"), "install_url": .string(singleSignOn.firefoxInstallURL),
            ])
        }
        return .object(settings)
    }

    /// Preferences that have no policy of their own.
    private static func preferences(_ singleSignOn: BrowserExtension?) -> JSONValue {
        var values: [String: JSONValue] = [
            "browser.newtab.preload": .bool(false),
            // Otherwise Firefox would offer to restore the pages of a former session, because it counts its own first
            // start as such a session.
            "browser.startup.couldRestoreSession.count": .integer(-1),
            "browser.safebrowsing.downloads.enabled": .bool(false),
            "browser.safebrowsing.malware.enabled": .bool(false),
            "browser.safebrowsing.phishing.enabled": .bool(false),
            "browser.tabs.crashReporting.sendReport": .bool(false),
            "layout.spellcheckDefault": .integer(0),
        ]
        // The broker's extension comes from the device itself and is not signed.
        if singleSignOn != nil { values["xpinstall.signatures.required"] = .bool(false) }
        return .object(values.mapValues { .object(["Value": $0, "Status": .string("locked")]) })
    }
}
