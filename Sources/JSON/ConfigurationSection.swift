// SPDX-License-Identifier: Apache-2.0

/// One object of a program's configuration file, which may contain known keys only.
package struct ConfigurationSection: Sendable {
    package let members: [String: JSONValue]
    private let place: String

    /// Reads an object and checks its keys.
    ///
    /// - Parameter place: where the object is in the file, such as `browser.`; empty for the file itself.
    /// - Throws: ``ConfigurationFailure`` for a value that is not an object, and for an unknown key.
    package init(_ value: JSONValue, at place: String, keys: [String]) throws(ConfigurationFailure) {
        guard let members = value.object else {
            throw ConfigurationFailure(
                key: place.isEmpty ? "The file" : String(place.dropLast()), cause: "is not an object",
                remedy: "Give an object with the keys \(keys.joined(separator: ", ")).")
        }
        for key in members.keys.sorted() where !keys.contains(key) {
            throw ConfigurationFailure(
                key: place + key, cause: "is not a key of this file",
                remedy: "Remove it, or use one of: \(keys.joined(separator: ", ")).")
        }
        self.members = members
        self.place = place
    }

    /// Returns the absolute path under this key.
    ///
    /// - Throws: ``ConfigurationFailure`` if there is none.
    package func path(_ key: String) throws(ConfigurationFailure) -> String {
        guard let path = try optionalPath(key) else { throw notAPath(key) }
        return path
    }

    /// Returns the absolute path under this key; nil if the key is missing.
    ///
    /// - Throws: ``ConfigurationFailure`` for any other value.
    package func optionalPath(_ key: String) throws(ConfigurationFailure) -> String? {
        guard let value = members[key] else { return nil }
        guard let path = value.string, path.hasPrefix("/") else { throw notAPath(key) }
        return path
    }

    /// Returns the text under this key; nil if the key is missing.
    ///
    /// - Throws: ``ConfigurationFailure`` for any other value, and for a text that is empty or longer than `maximum`
    ///   characters.
    package func text(_ key: String, maximum: Int) throws(ConfigurationFailure) -> String? {
        guard let value = members[key] else { return nil }
        guard let text = value.string, (1...maximum).contains(text.count) else {
            throw ConfigurationFailure(
                key: place + key, cause: "is not a text of 1 to \(maximum) characters", remedy: "Correct it there.")
        }
        return text
    }

    /// Returns the strings under this key; an empty list if the key is missing.
    ///
    /// - Throws: ``ConfigurationFailure`` for any other value, and for a list of more than `maximum` entries.
    package func texts(_ key: String, maximum: Int) throws(ConfigurationFailure) -> [String] {
        let list = try list(key, maximum: maximum)
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else {
            throw ConfigurationFailure(
                key: place + key, cause: "is not a list of strings", remedy: "Quote every entry of the list.")
        }
        return texts
    }

    /// Returns the list under this key; empty if the key is missing.
    ///
    /// - Throws: ``ConfigurationFailure`` for any other value, and for a list of more than `maximum` entries.
    package func list(_ key: String, maximum: Int) throws(ConfigurationFailure) -> [JSONValue] {
        guard let value = members[key] else { return [] }
        guard let list = value.array, list.count <= maximum else {
            throw ConfigurationFailure(
                key: place + key, cause: "is not a list of at most \(maximum) entries", remedy: "Correct it there.")
        }
        return list
    }

    private func notAPath(_ key: String) -> ConfigurationFailure {
        ConfigurationFailure(
            key: place + key, cause: "is missing or not an absolute path", remedy: "Give a path that begins with /.")
    }
}
