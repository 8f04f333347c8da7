// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Processes

@Suite struct SubordinateUsersTests {
    private func read(_ text: String) throws(SubordinateUsersError) -> [ClosedRange<UInt32>] {
        try SubordinateUsers(text: text, [1000, 1001]) { $0 == "ward" ? 1000 : $0 == "root" ? 0 : nil }.ranges
    }

    @Test(arguments: [
        ("", []), ("ward:100000:65536\n", [100_000...165_535]), ("1001:5:1\nward:7:2\n", [5...5, 7...8]),
        ("root:1:9\nnobody-any-more:100000:65536\n", []), ("ward:4294967295:1", [4_294_967_295...4_294_967_295]),
    ])
    func `the ranges of the users are read, by name and by number`(
        _ text: String, _ ranges: [ClosedRange<UInt32>]
    ) throws {
        #expect(try read(text) == ranges)
    }

    @Test(arguments: [
        "ward:100000", "ward:100000:65536:1", ":1:2", "ward:-1:5", "ward:+1:5", "ward:1:", "ward::5", "ward:1:0",
        "ward: 1:5",
        "ward:4294967295:2", "ward:4294967296:1", "root:1:x", "# ranges", "ward:1:5\n \n",
    ])
    func `a file with a malformed line is not read as if it had none`(_ text: String) {
        #expect(throws: SubordinateUsersError(.malformed)) { try read(text) }
    }

    @Test func `a machine whose ids come from another source is recognised`() {
        #expect(SubordinateUsers.hasOnlyFile("passwd: files sss\n#subid: sss\n"))
        #expect(SubordinateUsers.hasOnlyFile("subid: files # standard\n"))
        for text in ["subid: sss", "\tsubid: files sss", "passwd: files\nsubid:sss\n", "subid:"] {
            #expect(!SubordinateUsers.hasOnlyFile(text))
        }
    }
}
