// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import JSON
internal import Processes
internal import UnixSocket

/// Writes the files of a ``BrowserExtensionPackage`` into one private folder.
struct ExtensionPacker {
    let place: Directory
    let input: BrowserExtensionPackage.Input

    private enum Name {
        static let launcher = "baton-browser-host"
        static let ready = "ready"
        static let firefox = "firefox.xpi"
        static let firefoxHost = "firefox-host.json"
        static let chromium = "chromium.crx"
        static let chromiumKey = "chromium.pem"
        static let chromiumHost = "chromium-host.json"
        static let updates = "chromium-updates.xml"
        static let packing = "packing"
        static let source = "extension"
        static let manifest = "manifest.json"
    }

    /// Milliseconds that Chromium may take to pack.
    private static let patience: Int32 = 30_000

    private var manifest: ExtensionManifest {
        ExtensionManifest(version: input.version, addresses: input.addresses)
    }
    private var script: [UInt8] { PackageResources.worker_js }
    private func path(_ name: String) -> String { place.path + "/" + name }

    func pack() throws(PackingFailure) -> BrowserExtensionPackage {
        try write(launcher, Name.launcher, mode: 0o700)
        var chromium: BrowserExtensionPackage.Chromium?
        if let program = input.chromium { chromium = try packChromium(with: program) }
        return BrowserExtensionPackage(chromium: chromium, firefox: try packFirefox(), readyFile: path(Name.ready))
    }

    private func write(_ content: [UInt8], _ name: String, mode: UInt32 = 0o600) throws(PackingFailure) {
        do throws(FileError) { try place.file(name).replace(with: content, mode: mode) } catch {
            throw PackingFailure(error)
        }
    }

    /// A script that starts the host with the path of the broker's socket, because browsers pass no arguments except
    /// their own.
    private var launcher: [UInt8] {
        let words = [input.host, "--socket", input.brokerSocket, "--ready", path(Name.ready)]
        return Array("#!/bin/sh\nexec \(words.map(Self.quoted).joined(separator: " ")) \"$@\"\n".utf8)
    }

    private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    private func hostManifest(_ key: String, _ caller: String) -> [UInt8] {
        JSONWriter.write(
            .object([
                "name": .string(ExtensionManifest.hostName),
                "description": .string("Passes the extension's requests to Baton's broker"),
                "path": .string(path(Name.launcher)), "type": .string("stdio"), key: ExtensionManifest.list([caller]),
            ]))
    }

    // MARK: - Firefox

    private func packFirefox() throws(PackingFailure) -> BrowserExtensionPackage.Firefox {
        var archive = StoredArchive()
        archive.add(Name.manifest, manifest.firefox)
        archive.add(ExtensionManifest.script, script)
        try write(archive.bytes, Name.firefox)
        try write(hostManifest("allowed_extensions", ExtensionManifest.firefoxID), Name.firefoxHost)
        return BrowserExtensionPackage.Firefox(
            id: ExtensionManifest.firefoxID, installURL: Self.url(path(Name.firefox)),
            hostManifest: path(Name.firefoxHost))
    }

    // MARK: - Chromium

    private func packChromium(with program: String) throws(PackingFailure) -> BrowserExtensionPackage.Chromium {
        let outcome: Result<String, PackingFailure>
        do throws(FileError) {
            try place.appending(Name.packing).removeTree()
            outcome = try packed(by: program)
            try place.appending(Name.packing).removeTree()
        } catch { throw PackingFailure(error) }
        let id = try outcome.get()
        let updates = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gupdate xmlns="http://www.google.com/update2/response" protocol="2.0"><app appid="\(id)"><updatecheck \
            codebase="\(Self.url(path(Name.chromium)))" version="\(input.version)"/></app></gupdate>

            """
        try write(Array(updates.utf8), Name.updates)
        try write(hostManifest("allowed_origins", "chrome-extension://\(id)/"), Name.chromiumHost)
        return BrowserExtensionPackage.Chromium(
            id: id, updateURL: Self.url(path(Name.updates)), hostManifest: path(Name.chromiumHost))
    }

    /// Has Chromium pack and sign the extension, and returns its id.
    private func packed(by program: String) throws(FileError) -> Result<String, PackingFailure> {
        let packing = place.appending(Name.packing)
        let source = packing.appending(Name.source)
        try source.make()
        try source.file(Name.manifest).replace(with: manifest.chromium)
        try source.file(ExtensionManifest.script).replace(with: script)
        var arguments = ["--pack-extension=" + source.path, "--no-message-box"]
        let key = place.file(Name.chromiumKey)
        let hasKey = try key.read(limit: 64 << 10) != nil
        if hasKey { arguments.append("--pack-extension-key=" + path(Name.chromiumKey)) }
        // Chromium shows no page here, so it needs no sandbox. Without the other options, its helper processes would
        // outlive it and write files.
        arguments += ["--no-sandbox", "--no-zygote", "--disable-breakpad", "--disable-crash-reporter"]
        if case .failure(let failure) = run(program, arguments, in: packing) { return .failure(failure) }
        guard let bytes = try AtomicFile(path: source.path + ".crx").read() else {
            return .failure(PackingFailure(.packer, "it wrote no package"))
        }
        guard let id = ChromiumPackage.id(of: bytes) else {
            return .failure(PackingFailure(.package, "it contains no id"))
        }
        if !hasKey {
            guard let made = try AtomicFile(path: source.path + ".pem").read(limit: 64 << 10) else {
                return .failure(PackingFailure(.packer, "it wrote no key"))
            }
            try key.replace(with: made)
        }
        try place.file(Name.chromium).replace(with: bytes)
        return .success(id)
    }

    private func run(_ program: String, _ arguments: [String], in home: Directory) -> Result<Void, PackingFailure> {
        do throws(ProcessFailure) {
            let packer = try ChildProcess.spawn(
                executable: program, arguments: arguments,
                environment: ["HOME": home.path, "TMPDIR": home.path, "PATH": "/usr/bin:/bin"], output: .discarded)
            let hasEnded = packer.pidfd.isReadable(within: Self.patience)
            if !hasEnded { packer.kill() }
            let status = try packer.waitForExit()
            guard hasEnded else { return .failure(PackingFailure(.packerTime, "")) }
            guard case .exited(0) = status else { return .failure(PackingFailure(.packer, "\(status)")) }
            return .success(())
        } catch { return .failure(PackingFailure(.packer, error.description)) }
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
