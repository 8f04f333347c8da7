// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import JSON

/// Chromium's policies for the worker's browser and for the windows that show Baton's own pages: one file in
/// `/etc/chromium/policies/managed`.
///
/// The names are those of Chromium 156. A test asks Chromium whether it knows each policy and applies it.
package enum ChromiumPolicies {
    /// Returns the policies of the worker's browser, as a JSON object.
    package static func make(_ configuration: BrowserConfiguration, in context: PolicyContext) -> JSONValue {
        var policies = fixed
        policies.merge(pages(configuration)) { $1 }
        policies.merge(addresses(configuration, context)) { $1 }
        policies.merge(extensions(context.singleSignOn)) { $1 }
        policies.merge(deniedToPages) { $1 }
        policies["PrintingEnabled"] = .bool(configuration.allowsPrinting)
        if let downloads = context.downloads { policies["DownloadDirectory"] = .string(downloads) }
        policies.merge(authorities(configuration)) { $1 }
        return .object(policies)
    }

    /// Returns the policies of the sign-in window, as a JSON object. Everything is denied except the pages of one
    /// sign-in: those of the identity platform, those of the broker, and those that the organisation names.
    ///
    /// - Parameters:
    ///   - platform: the origin of the identity platform's pages; nil if it is not known.
    ///   - pages: the platform's pages that the window may show.
    ///   - origin: the origin of the broker's pages, with their port.
    ///   - startPage: the address of the file that leads to the broker's pages.
    ///   - guarding: the extension that ends the window when its page is closed.
    ///   - host: the name of the native messaging host with which the extension ends the window.
    package static func signIn(
        _ configuration: BrowserConfiguration, platform: WebOrigin?, pages: [PlatformPage], origin: String,
        startPage: String,
        guarding: ChromiumExtension, host: String
    ) -> JSONValue {
        let addresses =
            (platform.map { platform in pages.map { platform.chromium + $0.text } } ?? [])
            + configuration.signInAddresses.map(\.chromium)
        return .object(
            closed(to: addresses + [origin, startPage], guarding).merging(authorities(configuration)) { $1 }
                .merging(allowing(host: host)) { $1 })
    }

    /// Returns the policies of the home window, as a JSON object. The window shows only pages of `address`.
    ///
    /// - Parameter address: the address of the home screen, with its port.
    package static func home(_ address: String) -> JSONValue {
        .object(closed(to: [address], nil))
    }

    /// The policies of a window that shows nothing but pages of these addresses.
    private static func closed(to addresses: [String], _ guarding: ChromiumExtension?) -> [String: JSONValue] {
        fixed.merging(denied) { $1 }.merging([
            "URLBlocklist": .array((["*"] + InternalPage.blocked + InternalPage.needless).map(JSONValue.string)),
            "URLAllowlist": .array(addresses.map(JSONValue.string)),
        ]) { $1 }.merging(only(guarding)) { $1 }
    }

    /// The permissions that a worker cannot grant to any web page. A page that fills the screen could imitate the home
    /// screen or a sign-in page, and a page that records the screen would see what is typed into the PIN page.
    private static let deniedToPages: [String: JSONValue] = [
        "FullscreenAllowed": .bool(false),
        "ScreenCaptureAllowed": .bool(false),
    ]

    /// Features that a window does not need if it shows only Baton's pages.
    private static let denied: [String: JSONValue] = [
        "AudioCaptureAllowed": .bool(false),
        "BookmarkBarEnabled": .bool(false),
        "DefaultClipboardSetting": .integer(2),
        "DefaultFileSystemReadGuardSetting": .integer(2),
        "DefaultFileSystemWriteGuardSetting": .integer(2),
        "DefaultGeolocationSetting": .integer(2),
        "DefaultNotificationsSetting": .integer(2),
        "DefaultPopupsSetting": .integer(2),
        "DefaultSearchProviderEnabled": .bool(false),
        "DefaultSerialGuardSetting": .integer(2),
        "DefaultWebBluetoothGuardSetting": .integer(2),
        "DefaultWebHidGuardSetting": .integer(2),
        "DefaultWebUsbGuardSetting": .integer(2),
        // No download at all.
        "DownloadRestrictions": .integer(3),
        "EditBookmarksEnabled": .bool(false),
        "PrintingEnabled": .bool(false),
        "SavingBrowserHistoryDisabled": .bool(true),
        "ScreenCaptureAllowed": .bool(false),
        "VideoCaptureAllowed": .bool(false),
    ]

    private static func authorities(_ configuration: BrowserConfiguration) -> [String: JSONValue] {
        guard !configuration.authorities.isEmpty else { return [:] }
        return [
            "CACertificates": .array(configuration.authorities.map { .string(Data($0.der).base64EncodedString()) })
        ]
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
        // Debuggers. A worker could let another user's program debug the browser over a port of 127.0.0.1.
        "RemoteDebuggingAllowed",
        // Chromium's task manager ends processes of the browser's own pages and of the extension.
        "TaskManagerEndProcessEnabled",
        // The warning bar about command-line options. A worker cannot change these options.
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
        // With a file dialog, a person could overwrite any file to which the browser can write, such as its own
        // extension.
        "AllowFileSelectionDialogs": .bool(false),
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
        let pages = context.startPages.map { ["file://" + $0 + "/"] } ?? []
        let downloads = context.downloads.map { ["file://" + $0 + "/"] } ?? []
        let allowed = (context.needed + configuration.allowed).map(\.chromium)
        let blocked = configuration.blocked.flatMap { blocklist($0, sparing: context.needed) }
        return [
            "URLBlocklist": .array((InternalPage.blocked + blocked).map(JSONValue.string)),
            "URLAllowlist": .array((InternalPage.allowed + pages + downloads + allowed).map(JSONValue.string)),
        ]
    }

    /// Returns the entries of the block list for a blocked pattern. A needed host must open even if the blocked pattern
    /// is more specific than the pattern of that host. In that case, the pattern is blocked only over the schemes that
    /// are not needed.
    private static func blocklist(_ pattern: AddressPattern, sparing needed: [AddressPattern]) -> [String] {
        let spared = needed.filter { $0.path.isEmpty && pattern.takesPrecedence(over: $0) }
        guard !spared.isEmpty else { return [pattern.chromium] }
        return ["http", "https"].filter { scheme in
            pattern.matches(scheme: scheme) && !spared.contains { $0.matches(scheme: scheme) }
        }.map(pattern.chromium(scheme:))
    }

    /// Chromium's own pages, and other pages that are not web pages. A blocked `*` does not block them.
    private enum InternalPage {
        /// Pages that are not loaded from an address. They are blocked in windows that do not need them.
        static let needless = ["about:*", "blob:*", "data:*", "javascript:*", "mailto:*"]
        static let blocked = [
            "chrome://*", "chrome-extension://*", "chrome-untrusted://*", "devtools://*", "view-source:*", "file://*",
        ]
        /// An empty tab, the dialog that prints, the list of the session's own downloads, and the viewer of PDF files.
        static let allowed = [
            "chrome://newtab", "chrome://print", "chrome-untrusted://print", "chrome://downloads",
            "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai",
        ]
    }

    private static func extensions(_ singleSignOn: BrowserExtension?) -> [String: JSONValue] {
        guard let singleSignOn else { return only(nil) }
        return only(singleSignOn.chromium).merging(allowing(host: singleSignOn.host)) { $1 }
    }

    private static func allowing(host: String) -> [String: JSONValue] {
        ["NativeMessagingAllowlist": .array([.string(host)])]
    }

    /// Returns the settings that install this extension, if there is one, and block every other extension.
    private static func only(_ installed: ChromiumExtension?) -> [String: JSONValue] {
        var settings: [String: JSONValue] = ["*": .object(["installation_mode": .string("blocked")])]
        if let installed {
            settings[installed.id] = .object([
                "installation_mode": .string("force_installed"), "update_url": .string(installed.updateURL),
            ])
        }
        return ["ExtensionSettings": .object(settings)]
    }
}
