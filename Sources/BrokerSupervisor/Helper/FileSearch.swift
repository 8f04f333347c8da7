// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Leftovers
internal import Receipts

/// What the search for files that a session's user left behind has found.
struct FileSearch: Equatable {
    /// The names of the leftovers (docs/leftovers.md); sorted. ``Receipt/unexplained`` stands for files that no entry
    /// names.
    var found: [String] = []
    /// The places that were searched completely.
    var searched: Set<SearchedPlace> = []

    static let nowhere = FileSearch()

    /// What a receipt says of the files.
    var left: Finding<[String]> {
        if !found.isEmpty { return .known(found) }
        return searched.isSuperset(of: SearchedPlace.allCases) ? .none : .unknown
    }
}

extension FileSearch {
    /// - Parameter reply: the helper's answer to a report. Anything else means that nothing was searched.
    init(_ reply: HelperReply) {
        guard case .left(let home, let files, let unread) = reply else {
            self = .nowhere
            return
        }
        let names = files.compactMap { file in
            let entry = Leftover.entry(ofFile: file, homes: [home])
            return entry?.fate == .kept ? nil : entry?.name ?? Receipt.unexplained
        }
        self.init(found: Set(names).sorted(), searched: Set(SearchedPlace.allCases).subtracting(unread))
    }
}
