// SPDX-License-Identifier: Apache-2.0
import Leftovers

/// The page of leftovers, generated from the list in the code.
enum LeftoverPage {
    static var text: String {
        """
        # What is left of a worker

        This page lists the places where something of a worker is known to remain on a device: what stays by design, what is
        cleared and who has observed that, and what Baton does not clear. It is for administrators, for workers and for people who
        review Baton. `baton device audit` compares a device with this list before and after a session, and reports what the list
        does not name ([administration](../administration.md#check-that-a-session-has-left-nothing)). The page is generated
        from `Sources/Leftovers` by `scripts/pages`; do not edit it.

        ## Files that stay in the state folder

        The state folder of a device (`directory` of `batond`) contains these files after a sign-out, and no others. A test signs
        a worker in and out and reads the whole folder (`Tests/IntegrationTests/LiveBrowser/LeftoverTests.swift`). It fails if it
        finds a file that the table does not list. It also fails if a file contains the worker's name, user name, password or a
        token; it does not search the packages that the MDM sent.

        | file | data of a worker | until |
        |---|---|---|
        \(table(Leftover.all.filter { $0.fate == .kept && $0.isOfState }) { [files($0), $0.holds, $0.eraser] })
        Each session has a different pseudonym ([receipts](../receipts.md)).

        ## What is cleared

        “Observed by” names the program that can observe that the entry is gone. The [receipt](../receipts.md) of each session
        covers each entry: as an item, or in `unobserved` if the session had no such item or if the entry is removed only after
        the receipt is written. Paths without a leading `/` are below the state folder or below the agent's folder of profiles.

        | entry | where | data of a worker | who clears it, and when | observed by | receipt | test |
        |---|---|---|---|---|---|---|
        \(table(Leftover.all.filter { $0.fate == .cleared }) { entry in
            [
                "`\(entry.name)`", files(entry), entry.holds, entry.eraser, entry.observer.rawValue,
                receipt(entry), entry.test.map { "`\($0.suite): \($0.sentence)`" } ?? "none",
            ]
        })
        ## What else stays

        | entry | where | data of a worker | until | test |
        |---|---|---|---|---|
        \(table(Leftover.all.filter { $0.fate == .kept && !$0.isOfState }) { entry in
            [
                "`\(entry.name)`", files(entry), entry.holds, entry.eraser,
                entry.test.map { "`\($0.suite): \($0.sentence)`" } ?? "none",
            ]
        })
        ## What Baton does not clear

        Baton does not remove these. With `baton-helper`, `left` in the [receipt](../receipts.md#who-observed-it) lists the
        entries for which the session's user has left files. `unobserved` lists the entries whose places nobody searched. The
        worker's browser writes only to folders of its own (`EscapeTests: the worker's browser shows neither its own pages nor the
        device's files`), and has no session bus. What it passes to other programs can remain in the clipboard, the primary
        selection and the print spool, and its memory in swap.

        | entry | where | data of a worker | what helps | receipt |
        |---|---|---|---|---|
        \(table(Leftover.all.filter { $0.fate == .notCovered }) {
            ["`\($0.name)`", files($0), $0.holds, $0.eraser, receipt($0)]
        })
        """
    }

    private static func table(_ entries: [Leftover], row: (Leftover) -> [String]) -> String {
        entries.map { "| " + row($0).map { $0.isEmpty ? "" : $0 + " " }.joined(separator: "| ") + "|\n" }.joined()
    }

    private static func files(_ entry: Leftover) -> String {
        entry.places.map { place in
            switch place {
            case .state(let pattern), .profiles(let pattern), .path(let pattern): "`\(pattern)`"
            case .home(let pattern): "`~/\(pattern)`"
            case .object(let kind): words[kind] ?? kind.rawValue
            case .elsewhere(let words): words
            }
        }.joined(separator: ", ")
    }

    /// Where receipts mention the entry.
    private static func receipt(_ entry: Leftover) -> String {
        if let item = entry.item { return "`\(item)`" }
        return entry.isSearchedByHelper ? "`left`; without `baton-helper`, `unobserved`" : "`unobserved`"
    }

    private static let words: [Leftover.Kind: String] = [
        .process: "other processes of the session users", .browserProcess: "processes that `baton-agent` started",
        .ownProcess: "processes of Baton's programs", .socket: "abstract Unix sockets", .listener: "TCP ports",
        .ipc: "`/proc/sysvipc`", .mount: "`/proc/self/mountinfo`",
    ]
}

extension Leftover {
    fileprivate var isOfState: Bool {
        places.contains { if case .state = $0 { true } else { false } }
    }
}
