// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import Glibc
import Testing

@Suite struct FolderWalkTests {
    /// Runs `body` with the path of a new folder, which is removed afterwards.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let path = "/tmp/baton-test-walk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func names(
        below path: String, limits: FolderWalk.Limits = .init(entries: 100),
        step: (String) -> FolderWalk.Step = { _ in .into }
    ) -> (found: [String], unread: [String: Int32]) {
        var walk = FolderWalk(limits: limits)
        var (found, unread) = ([String](), [String: Int32]())
        walk.walk(path) { entry in
            found.append(String(entry.path.dropFirst(path.count + 1)))
            return step(entry.path)
        } unread: {
            unread[String($0.dropFirst(path.count))] = $1
        }
        return (found.sorted(), unread)
    }

    @Test func `everything below a folder is visited, and no link is followed`() throws {
        try withFolder { path in
            let manager = FileManager.default
            try manager.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: path + "/a/b/c"))
            try manager.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/a")
            #expect(names(below: path).found == ["a", "a/b", "a/b/c", "link"])
            #expect(names(below: path + "/link").unread.values.sorted() == [ENOTDIR])
            #expect(names(below: path) { $0.hasSuffix("/a") ? .past : .into }.found == ["a", "link"])
            #expect(names(below: path + "/nothing") == ([], [:]))
        }
    }

    @Test func `a folder whose printable path differs from its path is unread, not empty`() throws {
        try withFolder { path in
            let folder = path + "/a\nb"
            try FileManager.default.createDirectory(atPath: folder + "/c", withIntermediateDirectories: true)
            let printable = path + "/" + String(printableName: Array("a\nb".utf8))
            #expect(names(below: printable) == ([], ["": ENOENT]))
        }
    }

    @Test func `an entry beyond a limit is reported as unread`() throws {
        try withFolder { path in
            try FileManager.default.createDirectory(atPath: path + "/a/b/c", withIntermediateDirectories: true)
            #expect(names(below: path, limits: .init(entries: 2)) == (["a", "a/b"], ["/a/b": EFBIG]))
            #expect(names(below: path, limits: .init(entries: 9, depth: 1)) == (["a", "a/b"], ["/a/b": EFBIG]))
        }
    }

    /// What takes the place of a folder after a walk has seen it, and before the walk opens it.
    enum Replacement: CaseIterable { case file, link, pipe, folder, nothing }

    @Test(arguments: Replacement.allCases) func `a folder that is replaced during the walk is unread, or read anew`(
        _ replacement: Replacement
    ) throws {
        try withFolder { path in
            let manager = FileManager.default
            let (folder, elsewhere) = (path + "/a", path + "-elsewhere")
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try manager.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
            defer { try? manager.removeItem(atPath: elsewhere) }
            try Data().write(to: URL(filePath: elsewhere + "/secret"))
            let result = names(below: path) { seen in
                guard seen == folder else { return .into }
                do {
                    try manager.removeItem(atPath: folder)
                    switch replacement {
                    case .file: try Data().write(to: URL(filePath: folder))
                    case .link: try manager.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
                    case .pipe: #expect(unsafe mkfifo(folder, 0o600) == 0)
                    case .folder:
                        try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
                        try Data().write(to: URL(filePath: folder + "/new"))
                    case .nothing: break
                    }
                } catch { Issue.record(error) }
                return .into
            }
            switch replacement {
            case .file, .link, .pipe: #expect(result == (["a"], ["/a": ENOTDIR]))
            case .folder: #expect(result == (["a", "a/new"], [:]))
            case .nothing: #expect(result == (["a"], [:]))
            }
        }
    }

    @Test func `a mount point is not entered`() {
        // A kernel's file system is mounted at /proc on every Linux system.
        var entered = false
        var walk = FolderWalk(limits: .init(entries: 1_000_000))
        walk.walk("/") { entry in
            if entry.path.hasPrefix("/proc/") { entered = true }
            return entry.path == "/proc" ? .into : .past
        } unread: { _, _ in
        }
        #expect(!entered)
    }

    @Test(arguments: [
        ("ward 7.pdf", "ward 7.pdf"), ("ü", "ü"), ("a\\x0a", "a\\x5cx0a"), ("a\nb", "a\\x0ab"),
        ("\u{1b}[31m", "\\x1b[31m"),
        ("\u{7f}", "\\x7f"),
    ])
    func `a name is safe to print, and two names never have the same text`(name: String, text: String) {
        #expect(String(printableName: Array(name.utf8)) == text)
    }

    @Test func `bytes that are not UTF-8 keep their values`() {
        #expect(String(printableName: [0x61, 0xff, 0xc3]) == "a\\xff\\xc3")
    }
}
