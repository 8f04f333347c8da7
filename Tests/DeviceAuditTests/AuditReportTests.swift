// SPDX-License-Identifier: Apache-2.0
import DeviceAudit
import Leftovers
import Processes
import Testing

@Suite struct AuditReportTests {
    private static let scope = AuditScope(
        state: "/var/lib/baton/device", profiles: "/run/user/1000/profiles",
        users: [SystemUser(number: 1000, group: 1000, home: "/home/ward")], programs: "/usr/bin", skipped: [])

    private static func snapshot(_ items: [AuditItem], boot: String = "a", unread: [UnreadPlace] = []) -> AuditSnapshot
    {
        AuditSnapshot(boot: boot, scope: scope.record, content: .init(items: items, unread: unread))
    }

    private static func report(_ before: [AuditItem], _ after: [AuditItem]) -> AuditReport {
        AuditReport(from: snapshot(before), to: snapshot(after), scope: scope)
    }

    private static let places: [(String, String?, AuditReport.Judgement)] = [
        ("/var/lib/baton/device/journal", "journal", .kept),
        ("/var/lib/baton/device/session/worker.sealed", "session_files", .present),
        ("/var/lib/baton/device/surprise", nil, .unexplained),
        ("/run/user/1000/profiles/0a/home/Downloads/plan.pdf", "browser_downloads", .present),
        ("/run/user/1000/profiles/trash/0a/browser/Default/Cookies", "browser_profile", .present),
        ("/run/baton-helper/sessions/0a/browser/Cookies", "browser_profile", .present),
        ("/run/user/1000/bus", "runtime_files", .notCovered),
        ("/tmp/baton-0a/socket", "browser_temporary", .present),
        ("/tmp/scan.pdf", "temporary_files", .notCovered),
        ("/home/ward/.bash_history", "shell_history", .notCovered),
        ("/home/ward/notes", "home", .notCovered),
        ("/home/wards/notes", nil, .unexplained),
        ("/srv/notes", nil, .unexplained),
        ("/var/spool/cups/d00001-001", "print_spool", .notCovered),
    ]

    @Test(arguments: places) func `a new file belongs to the entry of its place`(
        path: String, entry: String?, judgement: AuditReport.Judgement
    ) throws {
        let group = try #require(Self.report([], [AuditItem(.file, path, version: "1")]).groups.first)
        #expect(group.entry == entry && group.judgement == judgement)
        #expect((group.remedy != nil) == (judgement == .notCovered))
    }

    @Test(arguments: AuditItem.Kind.allCases.filter { $0 != .file })
    func `every item that is not a file has an entry`(kind: AuditItem.Kind) throws {
        let group = try #require(Self.report([], [AuditItem(kind, "x", version: "1")]).groups.first)
        let entries = Leftover.all.filter { $0.name == group.entry }
        #expect(entries.contains { entry in entry.places.contains { $0 == kind.object.map(Leftover.Place.object) } })
    }

    @Test func `storage of a session that is still mounted belongs to what Baton should have cleared`() {
        let mount = AuditItem(.mount, "/run/baton-helper/sessions/0a", version: "tmpfs /")
        #expect(Self.report([], [mount]).groups.map(\.entry) == ["browser_profile"])
    }

    @Test func `only new or changed items are differences`() {
        let same = AuditItem(.file, "/srv/same", version: "1")
        let report = Self.report(
            [same, AuditItem(.file, "/srv/gone", version: "1"), AuditItem(.file, "/srv/changed", version: "1")],
            [same, AuditItem(.file, "/srv/changed", version: "2"), AuditItem(.file, "/srv/new", version: "1")])
        #expect(report.groups.map { $0.differences.map(\.name) } == [["/srv/changed", "/srv/new"]])
        #expect(report.groups.first?.differences.map(\.change) == [.changed, .new])
        #expect(!report.isClean && !report.isEmpty)
    }

    @Test func `an item that existed twice is matched in both versions`() {
        // Two sockets may have the same name.
        let items = ["1", "2"].map { AuditItem(.socket, "@bus", version: $0) }
        #expect(Self.report(items, items.reversed()).isEmpty)
    }

    @Test func `items that Baton does not clear leave a report clean, but not empty`() {
        let report = Self.report([], [AuditItem(.file, "/tmp/scan.pdf", version: "1")])
        #expect(report.isClean && !report.isEmpty)
        let kept = Self.report([], [AuditItem(.file, "/var/lib/baton/device/journal", version: "1")])
        #expect(kept.isClean && kept.isEmpty && kept.groups.count == 1)
    }

    @Test func `a place that could not be read in one of the snapshots is in the report`() {
        let (one, other) = (UnreadPlace("/a", cause: "x"), UnreadPlace("/b", cause: "y"))
        let report = AuditReport(
            from: Self.snapshot([], unread: [other]), to: Self.snapshot([], unread: [one, other]), scope: Self.scope)
        #expect(report.unread == [one, other])
    }

    @Test func `after a restart of the machine only files are compared, and the report says so`() {
        let report = AuditReport(
            from: Self.snapshot([AuditItem(.process, "7 /usr/bin/x", version: "1")]),
            to: Self.snapshot(
                [AuditItem(.process, "9 /usr/bin/x", version: "2"), AuditItem(.file, "/srv/new", version: "1")],
                boot: "b"), scope: Self.scope)
        #expect(report.groups.flatMap { $0.differences.map(\.name) } == ["/srv/new"])
        #expect(report.unread.count == 1)
    }

    // MARK: - The file of a snapshot

    @Test func `a snapshot is decoded as it was encoded`() throws {
        let snapshot = Self.snapshot(
            [AuditItem(.file, "/a \"b\"\\x0a/ü", version: "1 2"), AuditItem(.ipc, "shm 1", version: "")],
            unread: [UnreadPlace("/c", cause: "no")])
        #expect(try AuditSnapshot(lines: try snapshot.lines()) == snapshot)
        #expect(try AuditSnapshot(lines: try Self.snapshot([]).lines()) == Self.snapshot([]))
        let skipped = (0..<2000).map { "/mnt/\($0)" }
        let scope = AuditSnapshot.Scope(state: "/s", profiles: nil, users: [1], skipped: skipped)
        let other = AuditSnapshot(boot: "a", scope: scope, content: .init(items: [], unread: []))
        #expect(try AuditSnapshot(lines: try other.lines()) == other)
    }

    @Test func `a snapshot that is truncated anywhere is refused`() throws {
        let bytes = try Self.snapshot(
            [AuditItem(.file, "/a", version: "1"), AuditItem(.file, "/b", version: "1")],
            unread: [UnreadPlace("/c", cause: "no")]
        ).lines()
        for count in 0..<bytes.count {
            #expect(throws: AuditSnapshot.Damage.self) { try AuditSnapshot(lines: Array(bytes.prefix(count))) }
        }
    }

    @Test func `a snapshot with one changed byte is refused, or can be written and read again`() throws {
        let bytes = try Self.snapshot([AuditItem(.file, "/a", version: "1")], unread: [UnreadPlace("/c", cause: "no")])
            .lines()
        var refused = 0
        for index in bytes.indices {
            for other in Array("{}[]\",:\\\n-0123456789e".utf8) + [0, 0xFF] {
                var changed = bytes
                changed[index] = other
                guard let read = try? AuditSnapshot(lines: changed) else {
                    refused += 1
                    continue
                }
                #expect(try AuditSnapshot(lines: read.lines()) == read)
            }
        }
        #expect(refused > bytes.count)
    }

    @Test(arguments: [
        "", "\n", "{}\n", #"{"boot":"a","format":2,"items":0,"unread":0}"# + "\n",
        #"{"boot":"a","format":2,"scope":{"skipped":[],"state":"/s","users":[]},"items":9223372036854775807,"unread":9223372036854775807}"#
            + "\n",
        #"{"boot":"a","format":2,"scope":{"skipped":[],"state":"/s","users":[]},"items":-1,"unread":1}"# + "\n",
        #"{"boot":"a","format":3,"items":0,"unread":0}"# + "\n",
        #"{"boot":"a","format":2,"scope":{"skipped":[],"state":"/s","users":[]},"items":1,"unread":0}"# + "\n"
            + #"{"kind":"soul","name":"x","version":""}"# + "\n",
    ])
    func `a file that is not a snapshot is refused`(text: String) {
        #expect(throws: AuditSnapshot.Damage.self) { try AuditSnapshot(lines: Array(text.utf8)) }
    }
}
