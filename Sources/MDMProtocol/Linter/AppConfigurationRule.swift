// SPDX-License-Identifier: Apache-2.0

/// An error in an app's configuration: in the second switch of shared device mode, which the broker's configuration
/// contains, or in the folders of data that another app's configuration names. The switch must be a Boolean under its
/// exact name, because a device treats anything else as off.
package struct AppConfigurationProblem: Equatable, Sendable {
    /// The problem, without a full stop.
    package let message: String
    /// The remedy, as a sentence.
    package let remedy: String

    /// Returns nil if the configuration has no such problem.
    package init?(in configuration: [String: PropertyList]) {
        let name = PropertyKey.sharedDeviceMode.rawValue
        if let value = configuration[name] {
            guard value.kind != "boolean" else { return nil }
            message = "\(name) must be a Boolean, not a \(value.kind)"
            remedy = "Set it to true or false, without quotation marks."
            return
        }
        guard let key = configuration.keys.sorted().first(where: { Spelling.meant(by: $0, among: [name]) != nil })
        else {
            return nil
        }
        message = "\(key) must be spelt \(name)"
        remedy = "Spell the key with these capitals and without separators."
    }

    /// Returns nil if an app's folders of data may be used, or if the configuration names none.
    package init?(inFoldersOf configuration: [String: PropertyList]) {
        let name = PropertyKey.dataFolders.rawValue
        guard let value = configuration[name] else { return nil }
        var paths: [String] = []
        if case .array(let values) = value {
            paths = values.compactMap { value in if case .string(let path) = value { path } else { nil } }
            guard paths.count != values.count || DataFolderRule.objection(to: paths) != nil else { return nil }
            message = "\(name) cannot be used: \(DataFolderRule.objection(to: paths) ?? "not every one is a text")"
        } else {
            message = "\(name) must be a list, not a \(value.kind)"
        }
        remedy = "Name the full paths of folders that hold data of a worker and nothing else."
    }
}
