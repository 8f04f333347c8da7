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
/// No page may be opened before ``readyFile`` exists: the extension starts a moment after the browser, and a page that
/// opens earlier has no sign-in. Only the browser's user may read the folder.
package struct BrowserExtensionPackage: Sendable, Equatable {
    package struct Chromium: Sendable, Equatable {
        /// The extension's id: 32 letters from a to p. The id differs between devices, because each device makes its
        /// own key.
        package let id: String
        /// The `file:` address of the update manifest, which names the `.crx` file.
        package let updateURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    package struct Firefox: Sendable, Equatable {
        package let id: String
        /// The `file:` address of the `.xpi` file.
        package let installURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    /// The input of ``make(in:_:)``.
    package struct Input: Sendable {
        /// The extension's version, such as `0.1.0`.
        package var version: String
        /// The path of `baton-browser-host`.
        package var host: String
        /// The path of the broker's socket.
        package var brokerSocket: String
        /// Prefixes of the addresses that the profile lists. The extension may see only their hosts. If the list is
        /// empty, the extension may see every https address, but still adds headers only for the addresses that the
        /// broker names.
        package var addresses: [String]
        /// The path of Chromium's program (`/usr/lib/chromium/chromium`), which packs the extension; nil to pack for
        /// Firefox only.
        package var chromium: String?

        package init(version: String, host: String, brokerSocket: String, addresses: [String], chromium: String?) {
            (self.version, self.host, self.brokerSocket) = (version, host, brokerSocket)
            (self.addresses, self.chromium) = (addresses, chromium)
        }
    }

    /// The name of the native messaging host, in both browsers.
    package static let hostName = ExtensionManifest.hostName

    /// Nil if the extension was packed for Firefox only.
    package let chromium: Chromium?
    package let firefox: Firefox
    /// The file that the host creates when the extension knows its addresses. Remove it before each start of a browser.
    package let readyFile: String

    package init(chromium: Chromium?, firefox: Firefox, readyFile: String) {
        (self.chromium, self.firefox, self.readyFile) = (chromium, firefox, readyFile)
    }

    /// Packs the extension into `folder`. A missing folder is created, with access for its owner only. Blocks for about
    /// a fifth of a second, or for a second if Chromium has not run before. The key of an earlier call is used again.
    ///
    /// - Throws: ``PackingFailure``.
    package static func make(in folder: Directory, _ input: Input) throws(PackingFailure) -> BrowserExtensionPackage {
        let place: Directory
        do throws(FileError) {
            try folder.makePrivate()
            place = Directory(path: try folder.realPath())
        } catch { throw PackingFailure(error) }
        return try ExtensionPacker(place: place, input: input).pack()
    }
}

/// Why the browser's extension could not be packed, with cause and remedy.
package struct PackingFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        case folder = "extension_folder"
        case packer = "extension_packer"
        case packerTime = "extension_packer_time"
        case package = "extension_package"
    }

    package let code: Code
    /// The kernel's reason, or how Chromium ended.
    package let detail: String

    init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
    init(_ error: FileError) { self.init(.folder, error.description) }

    package var description: String {
        switch code {
        case .folder:
            "The folder of the browser's extension cannot be used (\(detail)). Give only the session user access to it."
        case .packer: "Chromium does not pack the extension (\(detail)). Check that the program is Chromium itself."
        case .packerTime: "Chromium has not packed the extension in time. Run it by hand with --pack-extension."
        case .package: "Chromium's package cannot be read (\(detail)). Update baton-agent."
        }
    }
}
