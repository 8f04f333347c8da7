// SPDX-License-Identifier: Apache-2.0

/// `org.baton.homescreen`: the configuration of the workers' home screen. Every key is optional.
///
/// The values are kept as they were written, so that the linter can name each invalid one.
package struct HomeScreenPayload: Hashable, Sendable {
    /// One tile. It has either a `page` or a `program`.
    package struct Tile: Hashable, Sendable {
        package var title: String
        package var page: String?
        package var program: String?
        package var arguments: [String]
        package var bundleID: String?
        /// A PNG or JPEG image.
        package var icon: [UInt8]?

        package init(
            title: String, page: String? = nil, program: String? = nil, arguments: [String] = [],
            bundleID: String? = nil, icon: [UInt8]? = nil
        ) {
            (self.title, self.page, self.program, self.arguments) = (title, page, program, arguments)
            (self.bundleID, self.icon) = (bundleID, icon)
        }

        init(fields: Fields) throws(FieldError) {
            title = try fields.string(.tileTitle)
            page = try fields.optionalString(.page)
            program = try fields.optionalString(.program)
            arguments = try fields.optionalStrings(.arguments) ?? []
            bundleID = try fields.optionalString(.tileBundleIdentifier)
            icon = try fields.optionalData(.icon)
        }

        var propertyList: PropertyList {
            .record([
                .tileTitle: .string(title), .page: page.map(PropertyList.string),
                .program: program.map(PropertyList.string),
                .arguments: arguments.isEmpty ? nil : .array(arguments.map(PropertyList.string)),
                .tileBundleIdentifier: bundleID.map(PropertyList.string), .icon: icon.map(PropertyList.data),
            ])
        }
    }

    package var organisation: String?
    /// A PNG or JPEG image.
    package var logo: [UInt8]?
    package var colour: String?
    package var contact: String?
    package var preferredDomain: String?
    package var tiles: [Tile]

    package init(
        organisation: String? = nil, logo: [UInt8]? = nil, colour: String? = nil, contact: String? = nil,
        preferredDomain: String? = nil, tiles: [Tile] = []
    ) {
        (self.organisation, self.logo, self.colour) = (organisation, logo, colour)
        (self.contact, self.preferredDomain, self.tiles) = (contact, preferredDomain, tiles)
    }

    init(fields: Fields) throws(FieldError) {
        organisation = try fields.optionalString(.organisation)
        logo = try fields.optionalData(.logo)
        colour = try fields.optionalString(.colour)
        contact = try fields.optionalString(.contact)
        preferredDomain = try fields.optionalString(.preferredDomain)
        tiles = []
        for element in try fields.optionalArray(.tiles) ?? [] {
            tiles.append(try Tile(fields: try Fields(element, as: .tiles)))
        }
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .organisation: organisation.map(PropertyList.string), .logo: logo.map(PropertyList.data),
            .colour: colour.map(PropertyList.string), .contact: contact.map(PropertyList.string),
            .preferredDomain: preferredDomain.map(PropertyList.string),
            .tiles: .array(tiles.map(\.propertyList)),
        ])
    }
}

extension HomeScreenPayload {
    /// Returns the configuration of the home screen, for a payload that the linter has accepted.
    ///
    /// - Throws: ``HomeConfigurationFailure``, the first of ``problems``.
    package func configuration() throws(HomeConfigurationFailure) -> HomeConfiguration {
        let (configuration, problems) = judged
        if let problem = problems.first { throw problem }
        return configuration
    }

    /// The values that a home screen could not use.
    var problems: [HomeConfigurationFailure] { judged.problems }

    /// The configuration without the tiles that have no valid target, and all problems.
    private var judged: (HomeConfiguration, problems: [HomeConfigurationFailure]) {
        var problems: [HomeConfigurationFailure] = []
        var configuration = HomeConfiguration(tiles: [])
        for (number, tile) in tiles.enumerated() {
            var target = HomeConfiguration.Target.page("")
            do throws(HomeConfigurationFailure) {
                target = try .init(page: tile.page, program: tile.program, arguments: tile.arguments)
            } catch { problems.append(error.of(tile: number)) }
            configuration.tiles.append(
                .init(
                    title: tile.title, target: target, bundleID: tile.bundleID,
                    icon: tile.icon.map(HomeConfiguration.Image.data)))
        }
        configuration.organisation = organisation
        configuration.logo = logo.map(HomeConfiguration.Image.data)
        configuration.colour = colour
        configuration.contact = contact
        configuration.preferredDomain = preferredDomain
        return (configuration, problems + configuration.problems)
    }
}

extension HomeConfigurationFailure {
    /// The problem as the linter reports it, with the payload's key.
    var inPayload: String {
        let place = tile.map { "\(PropertyKey.tiles.rawValue), entry \($0 + 1), " } ?? ""
        return "\(place)\(key.property.rawValue): \(cause)"
    }
}

extension HomeConfigurationFailure.Key {
    /// The payload's key for the same value.
    fileprivate var property: PropertyKey {
        switch self {
        case .organisation: .organisation
        case .logo: .logo
        case .colour: .colour
        case .contact: .contact
        case .preferredDomain: .preferredDomain
        case .tiles: .tiles
        case .title: .tileTitle
        case .page: .page
        case .program: .program
        case .arguments: .arguments
        case .icon: .icon
        case .bundleID: .tileBundleIdentifier
        }
    }
}
