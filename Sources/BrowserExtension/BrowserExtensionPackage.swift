// SPDX-License-Identifier: Apache-2.0
package import Files

/// The extension that signs the worker's browser in, packed for the browsers of one device, with the manifests of its
/// native messaging host.
///
/// ``make(in:_:)`` writes everything below one folder. The policies of a browser contain:
///
/// | browser | policy |
/// |---|---|
/// | Chromium | `ExtensionSettings`: ``Chromium/id`` with `installation_mode` `force_installed` and `update_url` ``Chromium/updateURL``, `*` blocked; `NativeMessagingBlocklist` `["*"]`, `NativeMessagingAllowlist` `[hostName]`, `NativeMessagingUserLevelHosts` false |
/// | Firefox | `ExtensionSettings`: ``Firefox/id`` with `installation_mode` `force_installed` and `install_url` ``Firefox/installURL``, `*` blocked; `Preferences` with `xpinstall.signatures.required` false, locked |
///
/// The browser must find the host's manifest under the name `org.baton.browser.json`, as a copy or a bind mount.
/// Chromium must find ``Chromium/hostManifest`` in `/etc/chromium/native-messaging-hosts/`; Firefox must find
/// ``Firefox/hostManifest`` in `/usr/lib/mozilla/native-messaging-hosts/`.
///
/// No page may be opened before a message arrives at ``readySocket``: the extension starts a moment after the browser,
/// and a page that opens earlier is not signed in. Only the browser's user may read the folder.
package struct BrowserExtensionPackage: Sendable, Equatable, Codable {
    package struct Chromium: Sendable, Equatable, Codable {
        /// The extension's id: 32 letters from a to p. It differs each time.
        package let id: String
        /// The `file:` address of the update manifest, which names the `.crx` file.
        package let updateURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    package struct Firefox: Sendable, Equatable, Codable {
        package let id: String
        /// The `file:` address of the `.xpi` file.
        package let installURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    /// The names of the files in the folder of a package; no other file belongs there.
    package enum File: String, CaseIterable {
        /// Starts the native messaging host.
        case launcher = "baton-browser-host"
        /// The socket ``readySocket``.
        case ready = "ready"
        case firefox = "firefox.xpi"
        case firefoxHost = "firefox-host.json"
        case chromium = "chromium.crx"
        case chromiumHost = "chromium-host.json"
        case updates = "chromium-updates.xml"
    }

    /// The input of ``make(in:_:)``.
    package struct Input: Sendable {
        /// The extension's version, such as `0.1.0`.
        package var version: String
        /// The path of `baton-browser-host`.
        package var host: String
        /// The path of the broker's socket.
        package var brokerSocket: String
        /// Prefixes of the addresses that the profile lists. The extension may see only requests to their hosts. If the
        /// list is empty, the extension may see every https address, but still adds headers only for the addresses that
        /// the broker names.
        package var addresses: [String]

        package init(version: String, host: String, brokerSocket: String, addresses: [String]) {
            (self.version, self.host) = (version, host)
            (self.brokerSocket, self.addresses) = (brokerSocket, addresses)
        }
    }

    /// The name of the native messaging host, in both browsers.
    package static let hostName = ExtensionManifest.hostName

    /// The folder with all files of the package. The browser must see it at this path, and need not write to it.
    package let folder: String
    package let chromium: Chromium
    package let firefox: Firefox
    /// The datagram socket to which the host sends the browser's number when the extension knows its addresses. The
    /// program that starts the browser must bind this socket.
    package let readySocket: String
    private let files: KnownFiles

    init(folder: String, chromium: Chromium, firefox: Firefox, readySocket: String, files: KnownFiles) {
        (self.folder, self.chromium, self.firefox) = (folder, chromium, firefox)
        (self.readySocket, self.files) = (readySocket, files)
    }

    /// Compares the package's folder with what was packed. Returns the path of a file that is missing, differs or was
    /// added; nil if there is none. No browser may start with a changed file, because that file may be another
    /// extension.
    ///
    /// - Throws: ``FileError`` if a file cannot be read.
    package func changedFile() throws(FileError) -> String? { try files.changed() }

    /// Packs the extension into `folder`. A missing folder is created, with access for its owner only. Blocks for some
    /// milliseconds. Chromium's package has a new key, and so a new id, each time.
    ///
    /// - Throws: ``FileError`` if the folder cannot be used, or an error of the cryptographic library.
    package static func make(in folder: Directory, _ input: Input) throws -> BrowserExtensionPackage {
        try folder.makePrivate()
        return try ExtensionPacker(place: Directory(path: try folder.realPath()), input: input).pack()
    }
}
