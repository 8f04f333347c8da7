// SPDX-License-Identifier: Apache-2.0

/// The values that a device, not its organisation, adds to a browser's policies.
package struct PolicyContext: Sendable, Equatable {
    /// The absolute path of the folder for downloads; nil keeps `Downloads` in the browser's home.
    ///
    /// On Linux, Chromium expands neither `~` nor `${user_home}` in a policy: it would create a folder with that text
    /// as its name.
    package var downloads: String?
    /// Absolute paths of the files with ``BrowserConfiguration/authorities``. Firefox needs them because it reads no
    /// certificates from the policy itself.
    package var authorityFiles: [String]
    /// Patterns, without a path, of the hosts that must open whatever the organisation blocks, such as the host of the
    /// sign-in pages.
    package var needed: [AddressPattern]
    /// The absolute path of the folder with the start pages, which send a browser to its first address.
    package var startPages: String?
    /// The broker's own extension; nil if the browser has no extension.
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

/// The only extension of a worker's browser, and the native messaging host that it uses.
package struct BrowserExtension: Sendable, Equatable {
    package var chromium: ChromiumExtension
    package var firefoxID: String
    /// The URL of the package for Firefox.
    package var firefoxInstallURL: String
    /// The name of the native messaging host.
    package var host: String

    package init(
        chromium: ChromiumExtension, firefoxID: String, firefoxInstallURL: String, host: String
    ) {
        self.chromium = chromium
        self.firefoxID = firefoxID
        self.firefoxInstallURL = firefoxInstallURL
        self.host = host
    }
}

/// An extension that Chromium installs by policy.
package struct ChromiumExtension: Sendable, Equatable {
    /// The id that Chromium derives from the extension's key.
    package var id: String
    /// The URL of the update manifest, which tells Chromium where the package is.
    package var updateURL: String

    package init(id: String, updateURL: String) { (self.id, self.updateURL) = (id, updateURL) }
}
