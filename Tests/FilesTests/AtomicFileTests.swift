// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import Glibc
import Testing

@Suite struct AtomicFileTests {
    @Test func `a file is read as it was written, and a missing file is not an error`() throws {
        try withScratch { folder in
            let file = folder.file("state")
            #expect(try file.read() == nil)
            try file.replace(with: Array("one".utf8))
            try file.replace(with: Array("two".utf8))
            #expect(try file.read() == Array("two".utf8))
            #expect(try folder.names() == ["state"])
            #expect(try file.remove())
            #expect(try file.remove() == false)
        }
    }

    @Test func `a file has the requested mode, even if a crash left a draft with another mode`() throws {
        try withScratch { folder in
            try folder.file("key.new").replace(with: [1], mode: 0o644)
            try folder.file("key").replace(with: [2], mode: 0o600)
            let facts = try FileManager.default.attributesOfItem(atPath: folder.path + "/key")
            #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test func `a file over the limit and a link are errors, not content`() throws {
        try withScratch { folder in
            try folder.file("big").replace(with: [UInt8](repeating: 0, count: 100))
            #expect(throws: FileError(.tooLarge, errno: EFBIG, path: folder.path + "/big")) {
                try folder.file("big").read(limit: 99)
            }
            #expect(unsafe symlink(folder.path + "/big", folder.path + "/link") == 0)
            #expect(throws: FileError(.open, errno: ELOOP, path: folder.path + "/link")) {
                try folder.file("link").read()
            }
        }
    }

    @Test func `a folder is created with its parents, and removed with its content without following links`() throws {
        try withScratch { folder in
            let deep = folder.appending("a").appending("b")
            try deep.make()
            try deep.file("x").replace(with: [1])
            try folder.file("outside").replace(with: [2])
            #expect(unsafe symlink(folder.path + "/outside", deep.path + "/link") == 0)
            #expect(try folder.appending("a").removeTree())
            #expect(try folder.names() == ["outside"])
            #expect(try folder.appending("a").removeTree() == false)
        }
    }

    @Test func `creating a folder where none can be is an error, not an endless loop`() throws {
        #expect(throws: FileError(.makeDirectory, errno: ENOENT, path: "/proc/baton-none")) {
            try Directory(path: "/proc/baton-none").make()
        }
    }

    private func withScratch(_ body: (Directory) throws -> Void) throws {
        let folder = Directory(path: FileManager.default.temporaryDirectory.path + "/baton-" + UUID().uuidString)
        try folder.make()
        defer { #expect(throws: Never.self) { try folder.removeTree() } }
        try body(folder)
    }
}
