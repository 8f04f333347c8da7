// SPDX-License-Identifier: Apache-2.0

/// `com.apple.extensiblesso`: which URLs the broker's single sign-on extension answers, and the first of the two
/// switches of shared device mode.
package struct SSOPayload: Hashable, Sendable {
    /// The type of the extension. Devices compare the names case-sensitively.
    package enum Kind: Hashable, Sendable {
        case redirect, credential
        /// An unknown value, kept so that the linter can report it.
        case other(String)

        package init(name: String) {
            self =
                switch name {
                case "Redirect": .redirect
                case "Credential": .credential
                default: .other(name)
                }
        }

        package var name: String {
            switch self {
            case .redirect: "Redirect"
            case .credential: "Credential"
            case .other(let name): name
            }
        }
    }

    package var extensionIdentifier: String
    package var teamIdentifier: String?
    package var kind: Kind
    /// Prefixes of the URLs that the extension answers.
    package var urls: [String]
    package var hosts: [String]
    /// Bundle ids of apps that may not use single sign-on, whatever the extension data says about them.
    package var deniedBundleIdentifiers: [String] = []
    package var extensionData: [String: PropertyList]

    package init(
        extensionIdentifier: String, teamIdentifier: String? = nil, kind: Kind = .redirect, urls: [String],
        hosts: [String] = [], extensionData: [String: PropertyList]
    ) {
        self.extensionIdentifier = extensionIdentifier
        self.teamIdentifier = teamIdentifier
        self.kind = kind
        self.urls = urls
        self.hosts = hosts
        self.extensionData = extensionData
    }

    /// Whether the profile's switch is on; nil if the key is missing or not a Boolean. The linter refuses a value that
    /// is not a Boolean. A device that has such a value anyway is not shared.
    package var sharedDeviceMode: Bool? { extensionData.sharedDeviceMode }

    init(fields: Fields) throws(FieldError) {
        extensionIdentifier = try fields.string(.extensionIdentifier)
        teamIdentifier = try fields.optionalString(.teamIdentifier)
        kind = Kind(name: try fields.string(.type))
        urls = try fields.optionalStrings(.urls) ?? []
        hosts = try fields.optionalStrings(.hosts) ?? []
        deniedBundleIdentifiers = try fields.optionalStrings(.deniedBundleIdentifiers) ?? []
        extensionData = try fields.optionalDictionary(.extensionData) ?? [:]
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .extensionIdentifier: .string(extensionIdentifier),
            .teamIdentifier: teamIdentifier.map(PropertyList.string),
            .type: .string(kind.name),
            .urls: urls.isEmpty ? nil : .array(urls.map(PropertyList.string)),
            .hosts: hosts.isEmpty ? nil : .array(hosts.map(PropertyList.string)),
            .deniedBundleIdentifiers: deniedBundleIdentifiers.isEmpty
                ? nil : .array(deniedBundleIdentifiers.map(PropertyList.string)),
            .extensionData: extensionData.isEmpty ? nil : .dictionary(extensionData),
        ])
    }
}

extension [String: PropertyList] {
    /// The switch of shared device mode in extension data or in the broker's app configuration; nil if it is missing or
    /// not a Boolean.
    package var sharedDeviceMode: Bool? {
        guard case .boolean(let value) = self[PropertyKey.sharedDeviceMode.rawValue] else { return nil }
        return value
    }
}
