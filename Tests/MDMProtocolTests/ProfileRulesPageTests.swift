// SPDX-License-Identifier: Apache-2.0
import Foundation
import MDMProtocol
import TestSupport
import Testing

/// The linter's rules, and the page generated from them.
@Suite struct ProfileRulesPageTests {
    private struct Row {
        let code: String
        let severity: String
        let source: String
        let remedy: String

        init(_ rule: any ProfileRule.Type) {
            (code, severity, source, remedy) = (rule.code.rawValue, rule.severity.rawValue, rule.source, rule.remedy)
        }
    }

    private static var rows: [Row] {
        ProfileLinter.readingRules.map { Row($0) } + ProfileLinter.rules.map { Row($0) }
            + ProfileLinter.updateRules.map { Row($0) }
    }

    private static var page: String {
        """
        # Rules for profiles

        This page is generated from `Sources/MDMProtocol/Linter` by `scripts/pages`; do not edit it.

        It is for administrators whose profile was refused. `baton admin profile add` and the device itself check a profile against these
        rules. An error refuses the profile; a warning is only printed. Each finding contains its code, the payload, the fault and the
        remedy. Apple's documents are the schema at <https://github.com/apple/device-management>; text in quotation marks is quoted from
        them. The last two rules apply to an enrollment profile that a device receives again.

        | code | severity | source | remedy |
        |---|---|---|---|
        \(rows.map { "| `\($0.code)` | \($0.severity) | \($0.source) | \($0.remedy) |\n" }.joined())
        """
    }

    @Test func `docs profile-rules md is the list; scripts pages writes it`() throws {
        let file = URL(filePath: Repository.root + "/docs/reference/profile-rules.md")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil { try Data(Self.page.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.page)
    }

    @Test func `every code has one rule, which says who set the value and what to do`() {
        let rows = Self.rows
        #expect(rows.map(\.code).sorted() == ProfileFinding.Code.allCases.map(\.rawValue).sorted())
        for row in rows {
            #expect(row.source.contains(/^(Apple, |Microsoft, |Baton)/) && !row.source.contains("|"))
            #expect(row.remedy.hasSuffix(".") && !row.remedy.contains("|"))
        }
    }

    @Test func `a finding has a remedy`() throws {
        let finding = try #require(
            ProfileLinter(delivery: .push).findings(inXML: Array("<plist><dict/></plist>".utf8)).first)
        #expect(
            finding.remedy == "Add the key that the message names, or give it a value of the type in Apple's schema.")
        #expect(finding.description.hasSuffix(". " + finding.remedy))
    }
}
