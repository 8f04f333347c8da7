// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import Foundation
import Leftovers
import TestSupport
import Testing

/// The list of places where data of a worker can remain, and the page generated from it.
@Suite struct LeftoverPageTests {
    @Test func `docs leftovers md is the list; scripts pages writes it`() throws {
        let file = URL(filePath: Repository.root + "/docs/reference/leftovers.md")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil {
            try Data(LeftoverPage.text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == LeftoverPage.text)
    }

    @Test func `every entry has its own name, and says what it holds and who clears it`() {
        #expect(Set(Leftover.all.map(\.name)).count == Leftover.all.count)
        for entry in Leftover.all {
            #expect(entry.name.contains(/^[a-z][a-z_]*[a-z]$/) && !entry.places.isEmpty && !entry.holds.isEmpty)
            #expect(![entry.holds, entry.eraser].contains { $0.contains("|") || $0.hasSuffix(".") }, "\(entry.name)")
            #expect(entry.eraser != "" || entry.fate == .kept, "\(entry.name)")
            // If nothing clears an entry, nobody observes its removal, and no receipt mentions it.
            #expect((entry.observer == .nobody && entry.item == nil) || entry.fate != .notCovered, "\(entry.name)")
            for place in entry.places { #expect(place.pattern.count { $0 == "*" } <= 2, "\(entry.name)") }
        }
    }

    @Test(arguments: [
        ("journal", "journal", true), ("journal", "journal.new", false), ("keys/*", "keys/device.pem", true),
        ("keys/*", "keys", true), ("keys/*", "keys2", false),
        ("receipts/chain-*.jsonl", "receipts/chain-1.jsonl", true),
        ("receipts/chain-*.jsonl", "receipts/chain-1", false), ("*/home/Downloads/*", "1/home/Downloads/a b", true),
        ("*/home/Downloads/*", "home/Downloads/a", false), ("*", "any/thing", true), ("a*a", "a", false),
    ])
    func `a pattern matches its own paths and no others`(pattern: String, name: String, fits: Bool) {
        #expect(Leftover.Place.home(pattern).matches(name) == fits)
    }

    @Test func `everything that is cleared has an observer and a test, and each named test exists`() throws {
        let sources = try Self.sources()
        for entry in Leftover.all where entry.fate == .cleared {
            #expect(entry.test != nil && entry.observer != .nobody, "\(entry.name)")
        }
        for test in Set(Leftover.all.compactMap(\.test)) {
            #expect(Self.isThere(test.suite, test.sentence, in: sources))
        }
        #expect(!Self.isThere("LeftoverPageTests", "there is no such test", in: sources))
        #expect(!Self.isThere("NoSuchTests", "docs leftovers md is the list; scripts pages writes it", in: sources))
    }

    /// Fails for each new entry until somebody has decided what receipts say about it.
    @Test func `the list of entries that no receipt can cover is known`() {
        let all = ["session_key", "session_process", "browser", "files", "app:an app"]
        let everywhere = Set(SearchedPlace.allCases)
        let never = Leftover.unobserved(items: all, left: [], searched: everywhere)
        #expect(
            never == [
                "abstract_sockets", "clipboard", "control_groups", "core_dumps", "display_server", "folder_attributes",
                "jobs_and_mail", "kernel_keyrings", "listening_ports", "mounts",
                "primary_selection", "print_spool", "session_programs", "session_records", "session_trash", "swap",
                "system_journal",
                "system_v_objects", "unmounted_queues",
            ])
        let searched = Set(Leftover.unobserved(items: all, left: [], searched: [])).subtracting(never)
        #expect(
            searched == [
                "desktop_caches", "desktop_certificates", "desktop_trash", "home", "keyring", "notifications",
                "online_accounts", "other_browsers", "other_folders", "recent_files", "runtime_files", "search_indexes",
                "shared_memory",
                "shell_history", "temporary_files", "thumbnails",
            ])
        let found = Leftover.unobserved(items: all, left: ["home", "swap"], searched: everywhere)
        #expect(found == never.filter { $0 != "swap" })
        #expect(Leftover.unobserved(items: [], left: [], searched: everywhere).contains("app_data"))
    }

    @Test(arguments: [
        (SearchedPlace.temporaryFiles, ["temporary_files"]), (.sharedMemory, ["shared_memory"]),
        (.runtimeFiles, ["runtime_files"]), (.otherFolders, ["other_folders"]),
    ])
    func `a place that was not searched completely makes only its own entries unobserved`(
        place: SearchedPlace, names: [String]
    ) {
        let everywhere = Set(SearchedPlace.allCases)
        let never = Leftover.unobserved(items: ["browser"], left: [], searched: everywhere)
        let without = Leftover.unobserved(items: ["browser"], left: [], searched: everywhere.subtracting([place]))
        #expect(Set(without).subtracting(never) == Set(names))
    }

    @Test func `folders that are newer than the search for them are unobserved`() {
        let everywhere = Set(SearchedPlace.allCases)
        func names(_ searched: Set<SearchedPlace>, isNewest: Bool) -> Set<String> {
            Set(Leftover.unobserved(items: [], left: [], searched: searched, isNewest: isNewest))
        }
        let all = names(everywhere, isNewest: true)
        #expect(names(everywhere, isNewest: false).symmetricDifference(all) == ["new_folders"])
        // A search that covered none of the other folders has not covered new folders either.
        #expect(
            names(everywhere.subtracting([.otherFolders]), isNewest: false).symmetricDifference(all) == [
                "other_folders"
            ])
    }

    @Test func `each item in the list is an item of receipts`() {
        let outcomes = [ItemOutcome.sessionKey, .sessionProcess, .browser, .files, .app("<application id>", .done)]
        #expect(Set(Leftover.all.compactMap(\.item)) == Set(outcomes.map(\.name)))
    }

    /// The source text of every test file.
    private static func sources() throws -> [String] {
        let root = Repository.root + "/Tests"
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix("Tests.swift") }.map { try textOfFile(root + "/" + $0) }
    }

    private static func isThere(_ suite: String, _ sentence: String, in sources: [String]) -> Bool {
        sources.contains { $0.contains(" \(suite)") && $0.contains("func `\(sentence)`") }
    }
}
