// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import baton

@Suite struct DraftFileTests {
    private func names(_ scratch: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    }

    @Test func `a file has its name only when it is complete, and is private from the beginning`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("new")
            let draft = try DraftFile(for: path)
            try draft.append(Array("one ".utf8))
            try draft.append(Array("two".utf8))
            #expect(try names(scratch) == ["new.partial"])
            let attributes = try FileManager.default.attributesOfItem(atPath: path + ".partial")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try draft.publish()
            #expect(try names(scratch) == ["new"])
            #expect(try textOfFile(path) == "one two")
        }
    }

    @Test func `a discarded draft is gone, and one that was left is replaced`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("new")
            try DraftFile(for: path).discard()
            #expect(try names(scratch) == [])
            try Data("left".utf8).write(to: URL(filePath: path + ".partial"))
            let draft = try DraftFile(for: path)
            try draft.publish()
            #expect(try names(scratch) == ["new"] && textOfFile(path) == "")
        }
    }

    @Test func `a file with the name is never replaced, whenever it is made`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("new")
            let draft = try DraftFile(for: path)
            try Data("other".utf8).write(to: URL(filePath: path))
            #expect(throws: FileError(.rename, errno: EEXIST, path: path)) { try draft.publish() }
            #expect(throws: FileError(.open, errno: EEXIST, path: path)) { _ = try DraftFile(for: path) }
            #expect(try textOfFile(path) == "other")
        }
    }

    @Test func `of two drafts for one name, only the later one can be published`() async throws {
        try await Scratch.with { scratch in
            let path = scratch.path("new")
            let first = try DraftFile(for: path)
            try first.append(Array("first".utf8))
            let second = try DraftFile(for: path)
            try second.append(Array("half".utf8))
            #expect(throws: FileError(.rename, errno: ENOENT, path: path)) { try first.publish() }
            #expect(try names(scratch) == ["new.partial"])
            try second.append(Array(" and half".utf8))
            try second.publish()
            #expect(try textOfFile(path) == "half and half")
        }
    }
}
