// SPDX-License-Identifier: Apache-2.0
import Foundation
import IdentityPlatform
import TestSupport
import Testing

@Suite struct GraphDocumentationTests {
    private static let page = Repository.root + "/docs/reference/identity-platform.md"

    /// The table of calls that the page must contain. With `BATON_REWRITE=1`, the test writes it to the page.
    private static var table: [String] {
        ["| call | one of these permissions | one of these roles |", "|---|---|---|"]
            + GraphRoute.all.map { route in
                let permissions = route.access.permissions.map(\.rawValue).joined(separator: ", ")
                return "| `\(route.method) \(route.path)` | \(permissions) | \(roles(route.access)) |"
            }
    }

    private static func roles(_ access: GraphAccess) -> String {
        guard let roles = access.roles else { return "none: it is about oneself" }
        if roles == GraphAccess.readers { return "a reader" }
        return roles.map(\.displayName).joined(separator: ", ")
    }

    @Test func `the page of calls, permissions and roles matches the table in the code`() throws {
        var lines = try String(contentsOfFile: Self.page, encoding: .utf8).components(separatedBy: "\n")
        let begin = try #require(lines.firstIndex(of: Self.table[0]))
        let end = try #require(lines[begin...].firstIndex { !$0.hasPrefix("|") })
        if ProcessInfo.processInfo.environment["BATON_REWRITE"] == "1" {
            lines.replaceSubrange(begin..<end, with: Self.table)
            try lines.joined(separator: "\n").write(toFile: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(Array(lines[begin..<end]) == Self.table)
        let readers = GraphAccess.readers.map(\.displayName).joined(separator: ", ")
        let text = lines.joined(separator: " ")
        #expect(
            text.contains("A reader is a person who holds one of these roles: \(readers)."),
            "A reader is a person who holds one of these roles: \(readers).")
    }
}
