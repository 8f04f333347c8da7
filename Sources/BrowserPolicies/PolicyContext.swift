// SPDX-License-Identifier: Apache-2.0

/// What a device, and not its organisation, adds to a browser's policies.
package struct PolicyContext: Sendable, Equatable {
    /// The absolute path of the folder that downloads go to; nil leaves it at `Downloads` in the browser's home.
    ///
    /// Chromium expands no `~` and no `${user_home}` in a policy on Linux: it would make a folder of that name.
    package var downloads: String?
    /// Absolute paths of the files that hold ``BrowserConfiguration/authorities``, for Firefox, which reads no certificate
    /// from the policy itself.
    package var authorityFiles: [String]
    /// Addresses that must open whatever the organisation blocks: the sign-in pages.
    package var needed: [AddressPattern]
    /// The absolute path of the folder with the pages that lead a browser to its first address.
    package var startPages: String?
    /// The broker's own extension; without it the browser has none.
    package var singleSignOn: BrowserExtension?

    package init(
        downloads: String? = nil, authorityFiles: [String] = [], needed: [AddressPattern] = [],
        startPages: String? = nil, singleSignOn: BrowserExtension? = nil
    ) {
        self.downloads = downloads
        self.authorityFiles = authorityFiles
        self.needed = needed
        self.startPages = startPages
        self.singleSignOn = singleSignOn
    }
}

/// The one extension that a worker's browser has, and the program that it speaks to.
package struct BrowserExtension: Sendable, Equatable {
    /// The id that Chromium derives from the extension's key.
    package var chromiumID: String
    /// Where Chromium finds the update manifest that names the package.
    package var chromiumUpdateURL: String
    package var firefoxID: String
    /// Where Firefox finds the package.
    package var firefoxInstallURL: String
    /// The name of the native messaging host.
    package var host: String

    package init(
        chromiumID: String, chromiumUpdateURL: String, firefoxID: String, firefoxInstallURL: String, host: String
    ) {
        self.chromiumID = chromiumID
        self.chromiumUpdateURL = chromiumUpdateURL
        self.firefoxID = firefoxID
        self.firefoxInstallURL = firefoxInstallURL
        self.host = host
    }
}
