// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The only extension of a sign-in window, in Chromium. It ends the window when the window's page is closed.
///
/// A person can open a second window with a shortcut. What that window may show does not depend on the extension: the
/// same policies apply to both windows. A page there may ask to stay (`beforeunload`), which an extension cannot
/// overrule. The extension then starts a native messaging host that kills the browser, and with it the window's
/// sandbox.
package struct WindowGuard: Sendable, Equatable {
    /// The files that the initializer's folder must contain, by file name.
    package let files: [String: [UInt8]]
    /// The extension's id: 32 letters from a to p. It differs each time.
    package let id: String
    /// The `file:` address of the update manifest, which names the `.crx` file.
    package let updateURL: String
    /// The path of the native messaging host, which the window's command creates.
    private let program: String

    private static let package = "window.crx"
    private static let updates = "window-updates.xml"
    private static let script = "window.js"
    private static let version = "1"
    /// The name of the native messaging host.
    package static let host = "org.baton.window"

    /// Packs the extension with a key that is not kept.
    ///
    /// - Parameters:
    ///   - folder: the absolute path at which the browser sees the files; it consists of letters and slashes only.
    ///   - program: a path in the sandbox's memory at which no file exists yet.
    /// - Throws: an error of the cryptographic library.
    package init(in folder: String, program: String) throws {
        let manifest = JSONWriter.write(
            .object([
                "manifest_version": .integer(3), "name": .string("Baton"), "version": .string(Self.version),
                "background": .object(["service_worker": .string(Self.script)]),
                // The extension needs these to see which tabs show a page, and to end the sandbox.
                "permissions": ExtensionManifest.list(["tabs", "nativeMessaging"]), "incognito": .string("not_allowed"),
            ]))
        let package = try ChromiumPackage(
            StoredArchive(manifest: manifest, Self.script, PackageResources.window_js))
        let address = "file://" + folder + "/"
        self.program = program
        id = package.id
        updateURL = address + Self.updates
        files = [
            Self.package: package.bytes,
            Self.updates: package.updates(at: address + Self.package, version: Self.version),
            "native-messaging-hosts/\(Self.host).json": ExtensionManifest.ofHost(
                Self.host, "Ends the window with its page", path: program, key: "allowed_origins",
                caller: "chrome-extension://\(id)/"),
        ]
    }

    /// Returns the command that creates the native messaging host and then runs `command`. The returned command exits
    /// with 0 if the browser started the host and the host killed the browser.
    package func launcher(_ command: [String]) -> [String] {
        let script = #"""
            host=$1
            shift
            printf '#!/bin/sh\n: >"$0.used"\nkill -KILL "$PPID"\n' >"$host" && chmod 700 "$host"
            "$@"
            code=$?
            [ -e "$host.used" ] && exit 0
            exit "$code"
            """#
        return ["/bin/sh", "-c", script, "sh", program] + command
    }
}
