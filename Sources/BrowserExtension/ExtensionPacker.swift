// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import JSON

/// Writes the files of a ``BrowserExtensionPackage`` into one private folder.
struct ExtensionPacker {
    let place: Directory
    let input: BrowserExtensionPackage.Input

    private var manifest: ExtensionManifest {
        ExtensionManifest(version: input.version, addresses: input.addresses)
    }
    private var script: [UInt8] { PackageResources.worker_js }
    private func path(_ file: BrowserExtensionPackage.File) -> String { place.path + "/" + file.rawValue }

    /// - Throws: ``FileError``, or an error of the cryptographic library.
    func pack() throws -> BrowserExtensionPackage {
        try empty()
        var files = KnownFiles()
        files.close(place, except: [BrowserExtensionPackage.File.ready.rawValue])
        try write(launcher, .launcher, mode: 0o700, to: &files)
        return BrowserExtensionPackage(
            folder: place.path, chromium: try packChromium(&files), firefox: try packFirefox(&files),
            readySocket: path(.ready), files: files)
    }

    private func write(
        _ content: [UInt8], _ file: BrowserExtensionPackage.File, mode: UInt32 = 0o600, to files: inout KnownFiles
    ) throws(FileError) {
        try files.write(content, to: place.file(file.rawValue), mode: mode)
    }

    /// Removes everything from the folder, so that afterwards it contains the packed files only.
    private func empty() throws(FileError) {
        for name in try place.names() { try place.appending(name).removeTree() }
    }

    /// A script that starts the host with the path of the broker's socket, because browsers pass no arguments except
    /// their own.
    private var launcher: [UInt8] {
        let words = [input.host, "--socket", input.brokerSocket, "--ready", path(.ready)]
        return Array("#!/bin/sh\nexec \(words.map(Self.quoted).joined(separator: " ")) \"$@\"\n".utf8)
    }

    private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    private func hostManifest(_ key: String, _ caller: String) -> [UInt8] {
        ExtensionManifest.ofHost(
            ExtensionManifest.hostName, "Passes the extension's requests to Baton's broker", path: path(.launcher),
            key: key, caller: caller)
    }

    // MARK: - Firefox

    private func packFirefox(_ files: inout KnownFiles) throws(FileError) -> BrowserExtensionPackage.Firefox {
        let archive = StoredArchive(manifest: manifest.firefox, ExtensionManifest.script, script)
        try write(archive.bytes, .firefox, to: &files)
        try write(hostManifest("allowed_extensions", ExtensionManifest.firefoxID), .firefoxHost, to: &files)
        return BrowserExtensionPackage.Firefox(
            id: ExtensionManifest.firefoxID, installURL: Self.url(path(.firefox)),
            hostManifest: path(.firefoxHost))
    }

    // MARK: - Chromium

    private func packChromium(_ files: inout KnownFiles) throws -> BrowserExtensionPackage.Chromium {
        let package = try ChromiumPackage(
            StoredArchive(manifest: manifest.chromium, ExtensionManifest.script, script))
        try write(package.bytes, .chromium, to: &files)
        try write(
            package.updates(at: Self.url(path(.chromium)), version: input.version), .updates, to: &files)
        try write(hostManifest("allowed_origins", "chrome-extension://\(package.id)/"), .chromiumHost, to: &files)
        return BrowserExtensionPackage.Chromium(
            id: package.id, updateURL: Self.url(path(.updates)), hostManifest: path(.chromiumHost))
    }

    private static func url(_ path: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "file://" + String(decoding: bytes, as: UTF8.self)
    }
}
