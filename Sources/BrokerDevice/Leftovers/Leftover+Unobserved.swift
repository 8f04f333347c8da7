// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// What a receipt says about each entry.
extension Leftover {
    /// The item of `app_data`; in a receipt, the item of each app has the app's id.
    static let itemOfApps = "app:<application id>"

    /// Returns the names of the entries about which a receipt says nothing else, because nobody looked at their places;
    /// sorted. Entries that stay by design are not among them.
    ///
    /// - Parameters:
    ///   - items: the names of the receipt's items.
    ///   - left: the entries in whose places `baton-helper` found something; nil if it did not search all its folders.
    package static func unobserved(items: [String], left: [String]?) -> [String] {
        all.filter { entry in
            guard entry.fate != .kept, !items.contains(where: entry.isItem) else { return false }
            guard let left else { return true }
            return !entry.isSearchedByHelper && !left.contains(entry.name)
        }.map(\.name).sorted()
    }

    /// Whether a complete report of `baton-helper` covers every place of the entry.
    package var isSearchedByHelper: Bool {
        let folders = HelperRequest.sharedFolders + [HelperRequest.runtimeFolders]
        return places.allSatisfy { place in
            switch place {
            case .home: true
            case .path(let pattern): folders.contains { pattern.hasPrefix($0 + "/") }
            case .state, .profiles, .object, .elsewhere: false
            }
        }
    }

    /// Whether the receipt's item with this name is about the entry.
    private func isItem(_ name: String) -> Bool {
        item == Self.itemOfApps ? name.hasPrefix("app:") : item == name
    }
}
