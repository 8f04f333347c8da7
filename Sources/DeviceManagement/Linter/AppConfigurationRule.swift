// SPDX-License-Identifier: Apache-2.0

/// An error in the broker's app configuration, which contains the second switch of shared device mode. The switch must
/// be a Boolean under its exact name, because a device treats anything else as off.
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
}
