// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// The manifest that `InstallApplication` refers to. It names the app, its version, its package's URL, and the
/// package's digest.
package struct AppManifest: Hashable, Sendable {
    package var bundleIdentifier: String
    package var version: String
    package var title: String
    /// The package's URL, which must be https.
    package var url: String
    /// The package's length in bytes. A single digest covers the whole package.
    package var size: Int64
    /// The package's SHA-256, 32 bytes.
    package var sha256: [UInt8]

    package init(bundleIdentifier: String, version: String, title: String, url: String, size: Int64, sha256: [UInt8]) {
        self.bundleIdentifier = bundleIdentifier
        self.version = version
        self.title = title
        self.url = url
        self.size = size
        self.sha256 = sha256
    }

    static let packageKind = "software-package"
    static let appKind = "software"
    /// The largest package that a device accepts, in bytes.
    package static let maximumSize: Int64 = 512 << 20
}

extension AppManifest {
    /// Reads a manifest.
    ///
    /// - Throws: ``FieldError`` if the manifest does not have exactly one app with one package, one digest and a safe
    ///   name.
    package init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .items)
        let items = try fields.array(.items)
        guard items.count == 1 else { throw FieldError(.items, .outOfRange) }
        let item = try Fields(items[0], as: .items)
        let metadata = try Fields(.dictionary(try item.dictionary(.metadata)), as: .metadata)
        guard try metadata.string(.kind) == Self.appKind else { throw FieldError(.kind, .outOfRange) }
        let asset = try Self.package(in: try item.array(.assets))
        let digests = try asset.optionalStrings(.sha256s) ?? []
        guard digests.count == 1, let digest = Hexadecimal.bytes(digests[0]), digest.count == 32 else {
            throw FieldError(.sha256s, .outOfRange)
        }
        self.init(
            bundleIdentifier: try metadata.string(.bundleIdentifier), version: try metadata.string(.bundleVersion),
            title: try metadata.string(.title), url: try asset.string(.url), size: try asset.integer(.sha256Size),
            sha256: digest)
        try validate()
    }

    /// Checks the manifest's values.
    ///
    /// - Throws: ``FieldError`` for names that could lead out of their folder, a URL that is not https, or a size out
    ///   of range.
    package func validate() throws(FieldError) {
        guard Self.isSafeName(bundleIdentifier), bundleIdentifier.contains(".") else {
            throw FieldError(.bundleIdentifier, .outOfRange)
        }
        guard Self.isSafeName(version) else { throw FieldError(.bundleVersion, .outOfRange) }
        guard url.hasPrefix("https://") else { throw FieldError(.url, .outOfRange) }
        guard (0...Self.maximumSize).contains(size) else { throw FieldError(.sha256Size, .outOfRange) }
        guard sha256.count == 32 else { throw FieldError(.sha256s, .outOfRange) }
    }

    /// Whether a bundle identifier or version is safe as a file name: letters, digits, dots, hyphens, underscores, no
    /// leading dot.
    package static func isSafeName(_ name: String) -> Bool {
        let isClean = name.utf8.allSatisfy { byte in
            byte.isDigit || byte.isLowercaseLetter || (0x41...0x5A).contains(byte) || ".-_".utf8.contains(byte)
        }
        return isClean && (1...128).contains(name.utf8.count) && !name.hasPrefix(".")
    }

    package var propertyList: PropertyList {
        .record([
            .items: [
                .record([
                    .assets: [
                        .record([
                            .kind: .string(Self.packageKind), .url: .string(url), .sha256Size: .integer(size),
                            .sha256s: [.string(Hexadecimal.text(sha256))],
                        ])
                    ],
                    .metadata: .record([
                        .kind: .string(Self.appKind), .bundleIdentifier: .string(bundleIdentifier),
                        .bundleVersion: .string(version), .title: .string(title),
                    ]),
                ])
            ]
        ])
    }

    private static func package(in assets: [PropertyList]) throws(FieldError) -> Fields {
        for asset in assets {
            let fields = try Fields(asset, as: .assets)
            if try fields.string(.kind) == packageKind { return fields }
        }
        throw FieldError(.assets, .missing)
    }
}
