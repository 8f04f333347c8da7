// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Files
import Foundation
import Processes
import TestSupport
import Testing

@testable import BrokerHelper

/// The limits of the search for a user's files: how long it looks at folders that may change, and how many files it
/// visits.
@Suite struct UserFoldersTests {
    private func look(
        into places: [(SearchedPlace, folders: [String])], patience: Duration, entries: Int = 1000
    ) -> UserFolders.Findings {
        var folders = UserFolders(user: geteuid(), subordinates: SubordinateUsers(), since: 0)
        (folders.patience, folders.limits) = (patience, .init(entries: entries))
        return folders.look(into: places, MountTable(text: ""))
    }

    private func make(_ names: [String], in scratch: Scratch) throws {
        for name in names {
            let folder = URL(filePath: scratch.path(name)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try scratch.write("a note", to: name)
        }
    }

    @Test func `if no second look may begin, the place counts as not read, with what the first look found`()
        async throws
    {
        try await Scratch.with { scratch in
            try make(["home/notes/today"], in: scratch)
            let (places, file) = (
                [(SearchedPlace.home, folders: [scratch.path("home")])], scratch.path("home/notes/today")
            )
            let calm = look(into: places, patience: .seconds(3600))
            #expect(calm.files.contains(file) && calm.unread == [:])
            let late = look(into: places, patience: .zero)
            #expect(late.files.contains(file) && late.unread == [.home: EAGAIN])
        }
    }

    @Test func `a place with more files than may be visited is the only one that counts as not read`() async throws {
        try await Scratch.with { scratch in
            try make((0..<20).map { "home/\($0)" } + ["temporary/1"], in: scratch)
            let places = [
                (SearchedPlace.home, folders: [scratch.path("home")]),
                (.temporaryFiles, folders: [scratch.path("temporary")]),
            ]
            #expect(look(into: places, patience: .seconds(3600), entries: 10).unread == [.home: EFBIG])
            #expect(look(into: places, patience: .seconds(3600), entries: 100).unread == [:])
        }
    }
}
