// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The manifest of the extension for one kind of browser, with no more permissions than it needs.
struct ExtensionManifest {
    static let hostName = "org.baton.browser"
    static let firefoxID = "browser@baton.org"
    static let script = "worker.js"
    private static let name = "Baton"
    private static let description = "Signs the worker's browser in with the device."

    /// `1.2.3`: up to four numbers.
    let version: String
    /// Match patterns of the hosts to which the extension may add headers.
    let hosts: [String]

    /// - Parameter addresses: prefixes of the addresses that the profile lists. If there are none, the extension may
    ///   see every https address, but requests headers only for the addresses that the broker names.
    init(version: String, addresses: [String]) {
        self.version = version
        let hosts = Set(addresses.compactMap(Self.host)).sorted()
        self.hosts = hosts.isEmpty ? ["https://*/*"] : hosts.map { "https://\($0)/*" }
    }

    /// Returns the host of an address without the port, because match patterns cannot contain a port; nil if there is
    /// no plain host.
    private static func host(_ address: String) -> String? {
        guard address.lowercased().hasPrefix("https://") else { return nil }
        let host = address.dropFirst("https://".count).prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }
            .lowercased()
        let isPlain =
            !host.isEmpty
            && host.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e
            }
        return isPlain ? host : nil
    }

    private var common: [String: JSONValue] {
        [
            "name": .string(Self.name), "description": .string(Self.description), "version": .string(version),
            "incognito": .string("not_allowed"),
        ]
    }

    private static let permissions = ["nativeMessaging", "webRequest", "webRequestBlocking"]

    /// Manifest version 3, for Chromium: blocking listeners work because policy installs the extension.
    var chromium: [UInt8] {
        write([
            "manifest_version": .integer(3), "background": .object(["service_worker": .string(Self.script)]),
            "permissions": Self.list(Self.permissions), "host_permissions": Self.list(hosts),
        ])
    }

    /// Manifest version 2, for Firefox.
    var firefox: [UInt8] {
        write([
            "manifest_version": .integer(2), "background": .object(["scripts": Self.list([Self.script])]),
            "permissions": Self.list(Self.permissions + hosts),
            "browser_specific_settings": .object(["gecko": .object(["id": .string(Self.firefoxID)])]),
        ])
    }

    private func write(_ members: [String: JSONValue]) -> [UInt8] {
        JSONWriter.write(.object(common.merging(members) { _, own in own }))
    }

    /// Returns the manifest of a native messaging host.
    ///
    /// - Parameters:
    ///   - path: the path of the host's program.
    ///   - key: the key under which the browser looks for the extensions that may start the host.
    ///   - caller: the only extension that may start the host.
    static func ofHost(
        _ name: String, _ description: String, path: String, key: String, caller: String
    ) -> [UInt8] {
        JSONWriter.write(
            .object([
                "name": .string(name), "description": .string(description), "path": .string(path),
                "type": .string("stdio"), key: list([caller]),
            ]))
    }

    static func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
