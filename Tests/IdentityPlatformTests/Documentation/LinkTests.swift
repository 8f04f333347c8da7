// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Checks that docs/README.md lists every page, and that no link between pages is broken.
@Suite struct LinkTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: Repository.root + "/" + path, encoding: .utf8)
    }

    /// Returns the pages in docs/, as paths relative to docs/.
    private static func docs() throws -> [String] {
        let files = try #require(FileManager.default.enumerator(atPath: Repository.root + "/docs"))
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
    }

    /// Returns all pages with links, as paths relative to the repository.
    private static func pages() throws -> [String] {
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
            + ["FirstlineWorker", "WardRound"].map { "Examples/\($0)/README.md" }
            .filter { FileManager.default.fileExists(atPath: Repository.root + "/" + $0) }
            + (try docs().map { "docs/" + $0 })
    }

    /// Returns a page's lines outside code blocks.
    private static func prose(_ text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    private static func links(in text: String) -> [String] {
        prose(text).flatMap { $0.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) } }
    }

    /// Returns the anchors of a page's headings, as hosting platforms generate them.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            prose(text).filter { $0.hasPrefix("#") }.map { heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            })
    }

    /// Returns a page's broken links. `text` is the page's text.
    private static func faults(_ page: String, _ text: String) throws -> [String] {
        let folder = URL(filePath: Repository.root + "/" + page).deletingLastPathComponent()
        return try links(in: text).filter { link in
            guard link.firstMatch(of: /^[a-z]+:/) == nil else { return false }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let file = parts[0].isEmpty ? nil : folder.appending(path: parts[0])
            if let file, !FileManager.default.fileExists(atPath: file.path) { return true }
            guard parts.count == 2 else { return false }
            return try !anchors(of: file.map { try String(contentsOf: $0, encoding: .utf8) } ?? text).contains(parts[1])
        }
    }

    @Test func `every page of docs is listed in docs/README.md`() throws {
        let linked = Set(Self.links(in: try Self.text("docs/README.md")).map { String($0.prefix { $0 != "#" }) })
        let pages = try Self.docs().filter { !$0.hasPrefix("decisions/") && $0 != "README.md" }
        #expect(pages.count > 20)
        #expect(pages.filter { !linked.contains($0) } == [])
        #expect(linked.contains("decisions"))
    }

    @Test func `every link between pages leads to an existing file and heading`() throws {
        for page in try Self.pages() {
            let faults = try Self.faults(page, try Self.text(page))
            #expect(faults == [], "\(page)")
        }
    }

    @Test(arguments: [
        "[a](nowhere.md)", "[a](session.md#no-such-heading)", "[a](#no-such-heading)", "[a](../Sources/None.swift)",
    ])
    func `a broken link is detected`(link: String) throws {
        #expect(try Self.faults("docs/session.md", "# A heading\n\(link)\n").count == 1)
        #expect(
            try Self.faults("docs/a.md", "# A `heading`, too\n[b](#a-heading-too) [c](session.md#the-session)") == [])
    }
}
