// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// How the entries relate to the items of a receipt.
extension Leftover {
    /// The item name of the entry `app_data`. In a receipt, each app has its own item, named with the app's id.
    static let itemOfApps = "app:<application id>"

    /// Returns the sorted names of the entries that nobody observed: no item of the receipt is about them, and nobody
    /// searched their places. Entries that stay by design are not included.
    ///
    /// - Parameters:
    ///   - items: the names of the receipt's items.
    ///   - left: the entries in whose places `baton-helper` found something; nil if it did not search all of its
    ///     folders.
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
