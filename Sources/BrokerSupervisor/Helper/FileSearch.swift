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

    /// When the search for the other folders began, in seconds since 1970, if that was before the session.
    var foldersAsOf: Int?

    static let nowhere = FileSearch()

    /// What a receipt says of the files.
    var left: Finding<[String]> {
        if !found.isEmpty { return .known(found) }
        return searched.isSuperset(of: SearchedPlace.allCases) ? .none : .unknown
    }
}

extension FileSearch {
    /// - Parameters:
    ///   - reply: the helper's answer to a report. Anything else means that nothing was searched.
    ///   - since: when the session's first browser opened, in seconds since 1970.
    init(_ reply: HelperReply, since: Int) {
        guard case .left(let home, let files, let unread, let folders) = reply else {
            self = .nowhere
            return
        }
        let names = files.compactMap { file in
            let entry = Leftover.entry(ofFile: file, homes: [home])
            return entry?.fate == .kept ? nil : entry?.name ?? Receipt.unexplained
        }
        let searched = Set(SearchedPlace.allCases).subtracting(unread)
        self.init(
            found: Set(names).sorted(), searched: searched,
            foldersAsOf: searched.contains(.otherFolders) && folders < since ? folders : nil)
    }
}
