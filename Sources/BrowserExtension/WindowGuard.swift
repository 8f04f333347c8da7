// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The only extension of a sign-in window, in Chromium: it ends the window with its page.
///
/// A person can open a second window with a shortcut. What that window may show does not depend on the extension: the same
/// policies apply to it.
package struct WindowGuard: Sendable, Equatable {
    /// The files, by name, as they must lie in the folder that was named.
    package let files: [String: [UInt8]]
    /// The extension's id: 32 letters from a to p. It differs each time.
    package let id: String
    /// The `file:` address of the update manifest, which names the `.crx` file.
    package let updateURL: String

    private static let package = "window.crx"
    private static let updates = "window-updates.xml"
    private static let script = "window.js"
    private static let version = "1"

    /// Packs the extension with a key that is not kept.
    ///
    /// - Parameter folder: the absolute path at which the browser sees the files, of letters and slashes only.
    /// - Throws: an error of the cryptographic library.
    package init(in folder: String) throws {
        let manifest = JSONWriter.write(
            .object([
                "manifest_version": .integer(3), "name": .string("Baton"), "version": .string(Self.version),
                "background": .object(["service_worker": .string(Self.script)]),
                // To see which tabs show a page.
                "permissions": ExtensionManifest.list(["tabs"]), "incognito": .string("not_allowed"),
            ]))
        let package = try ChromiumPackage(
            StoredArchive(manifest: manifest, Self.script, PackageResources.window_js))
        let address = "file://" + folder + "/"
        id = package.id
        updateURL = address + Self.updates
        files = [
            Self.package: package.bytes,
            Self.updates: package.updates(at: address + Self.package, version: Self.version),
        ]
    }
}
