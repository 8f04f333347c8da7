// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The names of the policies that Baton writes for one kind of browser, for a check of the installed browser.
package struct PolicyNames: Sendable, Equatable {
    /// Policies on which Baton's promises rest. A window of a browser that does not know one of them must not open: the
    /// browser would silently ignore the policy.
    package let needed: Set<String>
    /// Policies without which a window only looks different, or makes offers that nobody asked for.
    package let dispensable: Set<String>

    package var all: Set<String> { needed.union(dispensable) }

    fileprivate init(_ all: some Sequence<String>, dispensable: Set<String>) {
        (needed, self.dispensable) = (Set(all).subtracting(dispensable), dispensable)
    }
}

extension ChromiumPolicies {
    /// The policies of all windows.
    package static let names: PolicyNames = {
        let sample = ChromiumExtension(id: "", updateURL: "")
        let windows = [
            make(.standard, in: PolicyContext()),
            signIn(.standard, platform: nil, pages: [], origin: "", startPage: "", guarding: sample, host: ""),
            home(""),
        ]
        let written = windows.flatMap { Array(($0.object ?? [:]).keys) }
        // These are written only if they have a value.
        let conditional = ["CACertificates", "DownloadDirectory", "HomepageLocation", "RestoreOnStartupURLs"]
        return PolicyNames(written + conditional, dispensable: dispensable)
    }()

    private static let dispensable: Set<String> = [
        // Start page and appearance.
        "BookmarkBarEnabled", "CommandLineFlagSecurityWarningsEnabled", "HomepageIsNewTabPage", "HomepageLocation",
        "NewTabPageLocation", "RestoreOnStartup", "RestoreOnStartupURLs", "ShowHomeButton",
        // Offers of the vendor.
        "BrowserLabsEnabled", "DefaultBrowserSettingEnabled", "FeedbackSurveysEnabled", "ImportAutofillFormData",
        "ImportBookmarks", "ImportHistory", "ImportHomepage", "ImportSavedPasswords", "ImportSearchEngine",
        "MediaRecommendationsEnabled", "ProfilePickerOnStartupAvailability", "PromotionsEnabled",
        "SafeBrowsingSurveysEnabled", "ShoppingListEnabled",
    ]
}

extension FirefoxPolicies {
    /// The policies of the worker's browser.
    package static let names: PolicyNames = {
        let file = make(.standard, in: PolicyContext()).object?["policies"]?.object ?? [:]
        // These are written only if they have a value.
        let conditional = ["Certificates", "DownloadDirectory", "WebsiteFilter"]
        return PolicyNames(Array(file.keys) + conditional, dispensable: dispensable)
    }()

    private static let dispensable: Set<String> = [
        "DontCheckDefaultBrowser", "FirefoxSuggest", "GenerativeAI", "Homepage", "NewTabPage", "NoDefaultBookmarks",
        "OverrideFirstRunPage", "OverridePostUpdatePage", "UserMessaging",
    ]
}
