// SPDX-License-Identifier: Apache-2.0
package import Files

/// The extension that signs the worker's browser in, packed for the browsers of one device, with the manifests of its native
/// messaging host.
///
/// ``make(in:_:)`` writes everything below one folder; whoever starts a browser generates its policies from what this says:
///
/// | browser | policy |
/// |---|---|
/// | Chromium | `ExtensionSettings`: ``Chromium/id`` with `installation_mode` `force_installed` and `update_url` ``Chromium/updateURL``, `*` blocked; `NativeMessagingBlocklist` `["*"]`, `NativeMessagingAllowlist` `[hostName]`, `NativeMessagingUserLevelHosts` false |
/// | Firefox | `ExtensionSettings`: ``Firefox/id`` with `installation_mode` `force_installed` and `install_url` ``Firefox/installURL``, `*` blocked; `Preferences` with `xpinstall.signatures.required` false, locked |
///
/// The host's manifest has to be found by the browser: ``Chromium/hostManifest`` under
/// `/etc/chromium/native-messaging-hosts/`, ``Firefox/hostManifest`` under `/usr/lib/mozilla/native-messaging-hosts/`, each as
/// `org.baton.browser.json`, as a copy or a bind mount.
///
/// A first page must not be opened before ``readyFile`` is there: the extension begins a moment after the browser, and pages
/// before it open without a sign-in. The folder must be readable by the browser's user, and private to them.
package struct BrowserExtensionPackage: Sendable, Equatable {
    package struct Chromium: Sendable, Equatable {
        /// 32 letters from a to p; another one for each device, since the key is made there.
        package let id: String
        /// `file:` address of the update manifest, which leads to the `.crx` file.
        package let updateURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    package struct Firefox: Sendable, Equatable {
        package let id: String
        /// `file:` address of the `.xpi` file.
        package let installURL: String
        /// The path of the native messaging host's manifest.
        package let hostManifest: String
    }

    /// What the package is made of.
    package struct Input: Sendable {
        /// The extension's version, such as `0.1.0`.
        package var version: String
        /// The path of `baton-browser-host`.
        package var host: String
        /// The path of the broker's socket.
        package var brokerSocket: String
        /// Prefixes of the addresses that the profile lists, which bound what the extension may see; empty where they are not
        /// known: then it may see every https address, and still adds headers only where the broker says so.
        package var addresses: [String]
        /// The path of Chromium's own program (`/usr/lib/chromium/chromium`), which packs; nil to pack for Firefox alone.
        package var chromium: String?

        package init(version: String, host: String, brokerSocket: String, addresses: [String], chromium: String?) {
            (self.version, self.host, self.brokerSocket) = (version, host, brokerSocket)
            (self.addresses, self.chromium) = (addresses, chromium)
        }
    }

    /// The name of the native messaging host, in both browsers.
    package static let hostName = ExtensionManifest.hostName

    /// nil where there was no Chromium to pack it with.
    package let chromium: Chromium?
    package let firefox: Firefox
    /// Made by the host when the extension knows its addresses; remove it before each start of a browser.
    package let readyFile: String

    package init(chromium: Chromium?, firefox: Firefox, readyFile: String) {
        (self.chromium, self.firefox, self.readyFile) = (chromium, firefox, readyFile)
    }

    /// Packs the extension into `folder`, which is made where it is missing, for its owner alone. Takes about a fifth of a
    /// second, and a second where Chromium has not run before; blocks. A key that an earlier call made is used again.
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

/// Why the browser's extension could not be packed: cause and remedy.
package struct PackingFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        case folder = "extension_folder"
        case packer = "extension_packer"
        case packerTime = "extension_packer_time"
        case package = "extension_package"
    }

    package let code: Code
    /// The kernel's reason, or how the program ended.
    package let detail: String

    init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
    init(_ error: FileError) { self.init(.folder, error.description) }

    package var description: String {
        switch code {
        case .folder:
            "The folder of the browser's extension cannot be used (\(detail)). Make it the session user's alone."
        case .packer: "Chromium does not pack the extension (\(detail)). Check that the program is Chromium's own."
        case .packerTime: "Chromium has not packed the extension in time. Run it by hand with --pack-extension."
        case .package: "Chromium's package cannot be read (\(detail)). Update baton-agent."
        }
    }
}
