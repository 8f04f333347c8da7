// SPDX-License-Identifier: Apache-2.0
import BrowserExtension
import Files
import Foundation
import Subprocess
import TestSupport
import Testing

@Suite struct BrowserExtensionPackageTests {
    private func input(_ scratch: Scratch, addresses: [String] = [], chromium: String? = nil)
        -> BrowserExtensionPackage.Input
    {
        .init(
            version: "0.1.0", host: "/usr/bin/baton-browser-host", brokerSocket: scratch.path + "/it's/broker.sock",
            addresses: addresses, chromium: chromium)
    }

    private func object(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(filePath: path))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The manifest in an archive, as Python reads it.
    private func manifest(in archive: String) async throws -> [String: Any] {
        let script =
            "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; sys.stdout.write(z.read('manifest.json').decode())"
        let run = try await Subprocess.run(
            .name("python3"), arguments: ["-c", script, archive], output: .string(limit: 1 << 20))
        #expect(run.terminationStatus == .exited(0))
        return try #require(
            JSONSerialization.jsonObject(with: Data(run.standardOutput.utf8)) as? [String: Any])
    }

    @Test func `Firefox's package is a standard archive with the permissions that the addresses need`()
        async throws
    {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path + "/extension folder")
            let addresses = ["https://Login.example:8443/t", "https://login.example/", "http://plain.example", "x"]
            let made = try BrowserExtensionPackage.make(in: folder, input(scratch, addresses: addresses))
            #expect(made.chromium == nil && made.firefox.id == "browser@baton.org")
            #expect(made.firefox.installURL == "file://" + scratch.path + "/extension%20folder/firefox.xpi")
            let manifest = try await manifest(in: folder.path + "/firefox.xpi")
            #expect(
                manifest["permissions"] as? [String]
                    == [
                        "nativeMessaging", "webRequest", "webRequestBlocking", "https://login.example/*",
                        "http://127.0.0.1/*",
                    ])
            let host = try object(made.firefox.hostManifest)
            #expect(host["name"] as? String == BrowserExtensionPackage.hostName)
            #expect(host["allowed_extensions"] as? [String] == ["browser@baton.org"])
            let launcher = try String(contentsOfFile: try #require(host["path"] as? String), encoding: .utf8)
            #expect(launcher.contains("it'\\''s/broker.sock' '--ready' '"))
            // The same input gives the same archive.
            let first = try Data(contentsOf: URL(filePath: folder.path + "/firefox.xpi"))
            _ = try BrowserExtensionPackage.make(in: folder, input(scratch, addresses: addresses))
            #expect(try Data(contentsOf: URL(filePath: folder.path + "/firefox.xpi")) == first)
        }
    }

    @Test func `Chromium packs and signs the extension, under an id that the device keeps`() async throws {
        try await Scratch.with { scratch in
            let (first, second) = (Directory(path: scratch.path + "/a"), Directory(path: scratch.path + "/b"))
            let input = input(scratch, chromium: "/usr/lib/chromium/chromium")
            let made = try #require(try BrowserExtensionPackage.make(in: first, input).chromium)
            #expect(made.id.utf8.count == 32 && made.id.utf8.allSatisfy { (0x61...0x70).contains($0) })
            #expect(try BrowserExtensionPackage.make(in: first, input).chromium == made)
            #expect(try BrowserExtensionPackage.make(in: second, input).chromium?.id != made.id)
            #expect(try object(made.hostManifest)["allowed_origins"] as? [String] == ["chrome-extension://\(made.id)/"])
            let updates = try String(
                contentsOfFile: try #require(URL(string: made.updateURL)).path(), encoding: .utf8)
            #expect(updates.contains(made.id) && updates.contains("file://" + scratch.path + "/a/chromium.crx"))
            #expect(!FileManager.default.fileExists(atPath: first.path + "/packing"))
        }
    }

    @Test(arguments: ["/bin/false", "/bin/true", "/nowhere"])
    func `a packing program that fails is named, and no manifest is left`(program: String) async throws {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path + "/a")
            let failure = #expect(throws: PackingFailure.self) {
                try BrowserExtensionPackage.make(in: folder, input(scratch, chromium: program))
            }
            #expect(failure?.code == .packer && failure?.description.contains("Chromium") == true)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/chromium-updates.xml"))
        }
    }

    @Test func `a folder that other users can enter is refused`() async throws {
        try await Scratch.with { scratch in
            let folder = scratch.path + "/open"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            let failure = #expect(throws: PackingFailure.self) {
                try BrowserExtensionPackage.make(in: Directory(path: folder), input(scratch))
            }
            #expect(failure?.code == .folder)
        }
    }
}
