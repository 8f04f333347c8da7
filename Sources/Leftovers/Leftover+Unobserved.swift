// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// How the entries relate to the items of a receipt.
extension Leftover {
    /// The item name of the entry `app_data`. In a receipt, each app has its own item, named with the app's id.
    static let itemOfApps = "app:<application id>"

    /// The name in a receipt for all folders in which every user may create files, except for the folders that an entry
    /// names.
    package static let otherFolders = SearchedPlace.otherFolders.rawValue

    /// The name in a receipt for those folders of ``otherFolders`` that are newer than the last search for such
    /// folders.
    package static let newFolders = "new_folders"

    /// Returns the sorted names of the entries that nobody observed: no item of the receipt is about them, and nobody
    /// searched all of their places. Entries whose data is kept by design are not included.
    ///
    /// - Parameters:
    ///   - items: the names of the receipt's items.
    ///   - left: the entries in whose places `baton-helper` found something.
    ///   - searched: the places that `baton-helper` searched completely.
    ///   - isNewest: whether `baton-helper` has looked for the folders of ``otherFolders`` since the session began.
    package static func unobserved(
        items: [String], left: [String], searched: Set<SearchedPlace>, isNewest: Bool = true
    ) -> [String] {
        let entries = all.filter { entry in
            guard entry.fate != .kept, !items.contains(where: entry.isItem), !left.contains(entry.name) else {
                return false
            }
            guard let places = entry.searchedPlaces else { return true }
            return !places.isSubset(of: searched)
        }.map(\.name)
        let folders = searched.contains(.otherFolders) ? (isNewest ? [] : [newFolders]) : [otherFolders]
        return (entries + folders).sorted()
    }

    /// Whether a complete report of `baton-helper` covers every place of the entry.
    package var isSearchedByHelper: Bool { searchedPlaces != nil }

    /// The parts of a report that cover the entry; nil if a report does not cover all of the entry's places.
    private var searchedPlaces: Set<SearchedPlace>? {
        var found: Set<SearchedPlace> = []
        for place in places {
            switch place {
            case .home: found.insert(.home)
            case .path(let pattern):
                let part = SearchedPlace.allCases.first { part in
                    let folders = part == .runtimeFiles ? [SearchedPlace.runtimeFolders] : part.commonFolders
                    return folders.contains { pattern.hasPrefix($0 + "/") }
                }
                guard let part else { return nil }
                found.insert(part)
            case .state, .profiles, .object, .elsewhere: return nil
            }
        }
        return found
    }

    /// Whether the receipt's item with this name is about the entry.
    private func isItem(_ name: String) -> Bool {
        item == Self.itemOfApps ? name.hasPrefix("app:") : item == name
    }
}
