// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import Glibc
import Testing

/// Files that were written and must not change.
@Suite struct KnownFilesTests {
    /// Runs `body` with a new folder, which is removed afterwards.
    private func withFolder(_ body: (Directory) throws -> Void) throws {
        let folder = Directory(path: "/tmp/baton-test-known-\(UUID().uuidString)")
        try folder.make()
        defer { _ = try? folder.removeTree() }
        try body(folder)
    }

    /// What somebody does to the files `a` and `inner/b` of a folder.
    enum Change: CaseIterable {
        case content, removal, pipe, link, addedFile, addedFolder, addedDeep, sameContent, ignored
    }

    @Test(arguments: Change.allCases) func `every change of a closed folder is noticed, and nothing else`(
        _ change: Change
    ) throws {
        try withFolder { scratch in
            let folder = scratch.appending("known")
            let inner = folder.appending("inner")
            try inner.make()
            var files = KnownFiles()
            files.close(folder, except: ["socket"])
            try files.write(Array("one".utf8), to: folder.file("a"))
            try files.write(Array("two".utf8), to: inner.file("b"))
            #expect(try files.changed() == nil)
            let path = inner.path + "/b"
            switch change {
            case .content: try inner.file("b").replace(with: Array("twa".utf8))
            case .removal: try inner.file("b").remove()
            case .pipe:
                try inner.file("b").remove()
                #expect(unsafe mkfifo(path, 0o600) == 0)
            case .link:
                try inner.file("b").move(to: scratch.path + "/elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: path, withDestinationPath: scratch.path + "/elsewhere")
            case .addedFile: try folder.file("c").replace(with: [])
            case .addedFolder: try folder.appending("c").make()
            case .addedDeep: try inner.file("c").replace(with: [])
            case .sameContent: try inner.file("b").replace(with: Array("two".utf8))
            case .ignored: try folder.file("socket").replace(with: [])
            }
            let expected: String? =
                switch change {
                case .content, .removal, .pipe, .link: path
                case .addedFile, .addedFolder: folder.path
                case .addedDeep: inner.path
                case .sameContent, .ignored: nil
                }
            #expect(try files.changed() == expected)
        }
    }

    @Test func `a folder that cannot be read is an error, not a change`() throws {
        try withFolder { scratch in
            let folder = scratch.appending("known")
            try folder.make()
            var files = KnownFiles()
            files.close(folder)
            try folder.removeTree()
            try scratch.file("known").replace(with: [])
            #expect(throws: FileError.self) { try files.changed() }
        }
    }
}
