// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import DeviceSettings
import Foundation
import TestSupport
import Testing

@Suite struct SessionPageTests {
    private static let file = URL(filePath: Repository.root + "/docs/session.md")

    private static func handwritten() throws -> String {
        try #require(try SessionPage.handwritten(of: String(contentsOf: file, encoding: .utf8)), "no marker")
    }

    @Test func `docs session md is the machine; scripts pages writes it`() async throws {
        _ = await SessionStep.everyOne()
        let text = try Self.handwritten() + SessionPage.appendix
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil {
            try Data(text.utf8).write(to: Self.file)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    @Test func `every condition on the page has a value, and no two rows of a cause have the same one`() async throws {
        _ = await SessionStep.everyOne()
        for section in SessionPage.appendix.components(separatedBy: "\n### ") {
            var conditions: Set<[String]> = []
            for row in section.split(separator: "\n") where row.hasPrefix("| `") {
                let columns = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(conditions.insert(Array(columns[1...2])).inserted, "\(row)")
                #expect(!columns[2].contains(/:\s*(,|$)/), "\(row)")
            }
        }
    }

    // MARK: The part that is written by hand

    private static let states: Set = ["ready", "signingIn", "signedIn", "ending", "signingOut"]

    /// The rows of the table whose first column has this heading; each row is a list of its cells.
    private static func rows(_ heading: String, in page: String) -> [[Substring]] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix("| \(heading) |") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { $0.dropFirst(2).dropLast(2).split(separator: " | ") }
    }

    /// The names between backticks.
    private static func names(_ cell: Substring) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    /// A change of state, or a state that an event leaves as it is.
    private struct Edge: Hashable {
        let from: String
        let event: String
        let to: String
    }

    private static func faults(_ page: String, _ steps: [SessionStep]) -> [String] {
        let taken = Set(steps.map { Edge(from: $0.before.kind, event: $0.event, to: $0.after.kind) })
        var told: Set<Edge> = []
        var faults: [String] = []
        for row in rows("state", in: page) {
            guard row.count == 4 else { return ["not four columns: \(row)"] }
            let next = names(row[3])
            for (from, event) in names(row[0]).flatMap({ from in names(row[1]).map { (from, $0) } }) {
                let edges = Set(next.map { Edge(from: from, event: event, to: $0) })
                if edges.isDisjoint(with: taken) { faults.append("no such step: \(from), \(event), \(next)") }
                told.formUnion(edges)
            }
            for to in next where !taken.contains(where: { $0.to == to && names(row[0]).contains($0.from) }) {
                faults.append("\(row[0]) never becomes \(to)")
            }
        }
        for edge in taken.subtracting(told) where edge.from != edge.to { faults.append("not in the table: \(edge)") }
        faults += states.subtracting(told.map(\.from)).map { "no row for \($0)" }
        faults += Set(steps.map(\.event)).subtracting(told.map(\.event)).map { "no row for \($0)" }

        let drawn = Set(page.matches(of: /(\w+) --> (\w+):/).map { "\($0.output.1) \($0.output.2)" })
        let changes = Set(taken.filter { $0.from != $0.to }.map { "\($0.from) \($0.to)" })
        faults += drawn.symmetricDifference(changes).map { "diagram: \($0)" }

        var triggers: [String: Substring] = [:]
        for row in rows("trigger", in: page) where row.count == 3 {
            for name in names(row[0]) { triggers[name] = row[1] }
        }
        let ends = Dictionary(
            uniqueKeysWithValues: SignOutTrigger.allCases.map { ($0.rawValue, $0.isGraceful ? "graceful" : "at once") })
        if triggers.mapValues(String.init) != ends { faults.append("triggers: \(triggers)") }
        return faults
    }

    @Test func `the table, the diagram and the triggers of docs session md agree with the machine`() async throws {
        let steps = await SessionStep.everyOne()
        #expect(Self.faults(try Self.handwritten(), steps) == [])
    }

    @Test(arguments: [
        ("| `ready` | `endWanted` |", "| `ready` | `endDesired` |"),
        ("| `signingIn` | `browserWanted`", "| `ready` | `browserWanted`"),
        ("`signInRequested`, `signInTimedOut`", "`signInRequested`"), ("| `signedIn` or `signingOut` |", "| `ready` |"),
        ("    signedIn --> ending:", "    ready --> ending:"), ("| `idle` | graceful |", "| `idle` | at once |"),
        ("| `app` | graceful |", "| `apps` | graceful |"),
    ])
    func `an error in a table, the diagram or a trigger is detected`(right: String, wrong: String) async throws {
        let (page, steps) = (try Self.handwritten(), await SessionStep.everyOne())
        #expect(page.contains(right))
        #expect(!Self.faults(page.replacing(right, with: wrong), steps).isEmpty)
    }
}
