// SPDX-License-Identifier: Apache-2.0
import BrowserExtension
import Crypto
import Files
import Foundation
import Subprocess
import TestSupport
import Testing

@Suite struct BrowserExtensionPackageTests {
    private func input(_ scratch: Scratch, addresses: [String] = []) -> BrowserExtensionPackage.Input {
        .init(
            version: "0.1.0", host: "/usr/bin/baton-browser-host", brokerSocket: scratch.path + "/it's/broker.sock",
            addresses: addresses)
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
            #expect(made.firefox.id == "browser@baton.org")
            #expect(made.firefox.installURL == "file://" + scratch.path + "/extension%20folder/firefox.xpi")
            let manifest = try await manifest(in: folder.path + "/firefox.xpi")
            #expect(
                manifest["permissions"] as? [String]
                    == [
                        "nativeMessaging", "webRequest", "webRequestBlocking", "https://login.example/*",
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

    @Test func `Chromium's package is signed with a key that is not kept`() async throws {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path + "/a")
            let made = try BrowserExtensionPackage.make(in: folder, input(scratch)).chromium
            #expect(made.id.utf8.count == 32 && made.id.utf8.allSatisfy { (0x61...0x70).contains($0) })
            #expect(try object(made.hostManifest)["allowed_origins"] as? [String] == ["chrome-extension://\(made.id)/"])
            let updates = try String(
                contentsOfFile: try #require(URL(string: made.updateURL)).path(), encoding: .utf8)
            #expect(updates.contains(made.id) && updates.contains("file://" + scratch.path + "/a/chromium.crx"))
            // The folder no longer contains the key or the file that was planted in it.
            try scratch.write("", to: "a/planted")
            #expect(try BrowserExtensionPackage.make(in: folder, input(scratch)).chromium.id != made.id)
            #expect(
                try folder.names().sorted() == [
                    "baton-browser-host", "chromium-host.json", "chromium-updates.xml", "chromium.crx",
                    "firefox-host.json", "firefox.xpi",
                ])
        }
    }

    /// The format is in Chromium's source, `components/crx_file/crx3.proto`.
    @Test func `Chromium's package proves that its id's key signed its archive`() async throws {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path + "/a")
            let made = try BrowserExtensionPackage.make(in: folder, input(scratch)).chromium
            let bytes = try #require(try folder.file("chromium.crx").read())
            #expect(Array(bytes[..<8]) == Array("Cr24".utf8) + [3, 0, 0, 0])
            let size = bytes[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
            let (header, archive) = (bytes[12..<(12 + size)], bytes[(12 + size)...])
            #expect(archive.starts(with: Array("PK".utf8)))
            let fields = try Self.fields(header)
            let (proof, signed) = (try Self.fields(#require(fields[3])), try #require(fields[10_000]))
            let key = try #require(proof[1])
            let hash = Array(SHA256.hash(data: key).prefix(16))
            #expect(try Self.fields(signed)[1].map(Array.init) == hash)
            #expect(
                made.id
                    == hash.map { String(UnicodeScalar(97 + $0 >> 4)) + String(UnicodeScalar(97 + $0 & 15)) }.joined())
            let length = [UInt8](unsafe withUnsafeBytes(of: UInt32(signed.count).littleEndian) { unsafe Array($0) })
            let content = Array("CRX3 SignedData".utf8) + [0] + length + signed
            let signature = try P256.Signing.ECDSASignature(derRepresentation: #require(proof[2]))
            let publicKey = try P256.Signing.PublicKey(derRepresentation: key)
            #expect(publicKey.isValidSignature(signature, for: content + archive))
            #expect(!publicKey.isValidSignature(signature, for: content + archive.dropLast()))
        }
    }

    /// Reads a message of Protocol Buffers whose fields are bytes.
    private static func fields(_ message: ArraySlice<UInt8>) throws -> [Int: ArraySlice<UInt8>] {
        var (rest, found) = (message, [Int: ArraySlice<UInt8>]())
        func varint() throws -> Int {
            var (value, shift) = (0, 0)
            while let byte = rest.popFirst() {
                value |= Int(byte & 0x7f) << shift
                shift += 7
                if byte & 0x80 == 0 { return value }
            }
            throw TestProblem("the message ends inside a number")
        }
        while !rest.isEmpty {
            let (tag, count) = (try varint(), try varint())
            #expect(tag & 7 == 2 && count <= rest.count)
            found[tag >> 3] = rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        return found
    }

    @Test func `a file of the package that was changed, exchanged or removed is noticed`() async throws {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path + "/a")
            let made = try BrowserExtensionPackage.make(in: folder, input(scratch))
            #expect(try made.changedFile() == nil)
            for name in try folder.names() {
                let content = try #require(try folder.file(name).read())
                for changed in [content + [0], Array(content.dropLast()), content.dropLast() + [content[0] ^ 1]] {
                    try folder.file(name).replace(with: changed)
                    #expect(try made.changedFile() == folder.path + "/" + name)
                }
                try folder.file(name).remove()
                #expect(try made.changedFile() == folder.path + "/" + name)
                try folder.file(name).replace(with: content)
                #expect(try made.changedFile() == nil)
            }
            try folder.file("another").replace(with: [])
            #expect(try made.changedFile() == folder.path)
        }
    }

    @Test func `a folder that other users can enter is refused`() async throws {
        try await Scratch.with { scratch in
            let folder = scratch.path + "/open"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            #expect(throws: FileError.self) {
                try BrowserExtensionPackage.make(in: Directory(path: folder), input(scratch))
            }
        }
    }
}
