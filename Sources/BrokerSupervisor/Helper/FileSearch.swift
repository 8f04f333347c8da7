// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Leftovers
internal import Processes
internal import Receipts

/// The result of the search for files that a session's user left behind.
struct FileSearch: Equatable {
    /// The sorted names of the leftovers (docs/reference/leftovers.md). ``Receipt/unexplained`` stands for files that
    /// match no entry of that page.
    var found: [String] = []
    /// The places that were searched completely.
    var searched: Set<SearchedPlace> = []

    /// The time at which the search for ``SearchedPlace/otherFolders`` began, in seconds since 1970; nil unless that
    /// was before the session.
    var foldersAsOf: Int?

    static let nowhere = FileSearch()

    /// The finding about leftover files, for the receipt.
    var left: Finding<[String]> {
        if !found.isEmpty { return .known(found) }
        return searched.isSuperset(of: SearchedPlace.allCases) ? .none : .unknown
    }
}

extension FileSearch {
    /// - Parameters:
    ///   - reply: the helper's answer to ``HelperRequest/report(user:since:)``. A refusal means that nothing was
    ///     searched.
    ///   - opened: when the session's first browser was opened, counted from the start of the machine.
    ///   - now: seconds since 1970.
    init(_ reply: HelperReply, opened: Duration, now: Int) {
        guard case .left(let home, let files, let unread, let folders) = reply else {
            self = .nowhere
            return
        }
        let names = files.compactMap { file in
            let entry = Leftover.entry(ofFile: file, homes: [home])
            return entry?.fate == .kept ? nil : entry?.name ?? Receipt.unexplained
        }
        // A helper of an earlier version reports no time that could be compared.
        let searched = Set(SearchedPlace.allCases).subtracting(unread + (folders == nil ? [.otherFolders] : []))
        // The clock may have been set meanwhile, so the times since 1970 do not show which came first.
        let isOlder = folders.map { $0 < opened.components.seconds } ?? false
        let elapsed = Int(BootClock.now().components.seconds) - (folders ?? 0)
        self.init(
            found: Set(names).sorted(), searched: searched,
            foldersAsOf: searched.contains(.otherFolders) && isOlder ? now - elapsed : nil)
    }
}
