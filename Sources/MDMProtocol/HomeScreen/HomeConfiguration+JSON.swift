// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import JSON

// The configuration as JSON, in two forms that differ only in their images: an administrator's file contains the paths
// of the images, and the broker's file contains their bytes in Base64.
//
// | key | type | meaning |
// |---|---|---|
// | `organisation` | string | the organisation's name |
// | `logo` | string | a PNG or JPEG image, at most 256 KiB |
// | `colour` | string | the colour of buttons, `#RRGGBB`; white text on it must be readable |
// | `contact` | string | whom to call, such as `Help desk: 4242` |
// | `preferredDomain` | string | the domain hint of a sign-in |
// | `tiles` | list | at most 24 tiles: `title`, one of `page` and `program`, `arguments`, `bundleId`, `icon` |

extension HomeConfiguration {
    private typealias Key = HomeConfigurationFailure.Key

    private enum Form {
        case paths, base64

        func image(_ section: ConfigurationSection, _ key: Key) throws(ConfigurationFailure) -> Image? {
            switch self {
            case .paths: return try section.optionalPath(key.rawValue).map(Image.file)
            case .base64:
                guard let text = try section.text(key.rawValue, maximum: .max) else { return nil }
                return .data(Data(base64Encoded: text).map(Array.init) ?? [])
            }
        }
    }

    /// The largest file that ``init(published:)`` reads.
    package static let maximumPublished = 2 << 20

    /// Reads an administrator's file. All keys are optional; unknown keys are errors.
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(json: [UInt8]) throws(ConfigurationFailure) {
        try self.init(json, .paths, limits: JSONLimits(bytes: 256 << 10, depth: 5, values: 2048, stringBytes: 8192))
    }

    /// Reads the form that ``published`` returns.
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(published bytes: [UInt8]) throws(ConfigurationFailure) {
        let limits = JSONLimits(bytes: Self.maximumPublished, depth: 5, values: 2048, stringBytes: 512 << 10)
        try self.init(bytes, .base64, limits: limits)
    }

    private init(_ bytes: [UInt8], _ form: Form, limits: JSONLimits) throws(ConfigurationFailure) {
        guard let value = try? JSONReader.read(bytes, limits: limits) else {
            throw ConfigurationFailure(key: "The file", cause: "is not JSON", remedy: "Correct it.")
        }
        let keys: [Key] = [.organisation, .logo, .colour, .contact, .preferredDomain, .tiles]
        let root = try ConfigurationSection(value, at: "", keys: keys.map(\.rawValue))
        var tiles: [Tile] = []
        for (number, value) in try root.list(Key.tiles.rawValue, maximum: Self.maximumTiles).enumerated() {
            tiles.append(try Self.tile(value, number: number, form))
        }
        self.init(tiles: tiles)
        organisation = try root.text(Key.organisation.rawValue, maximum: Self.maximumText)
        logo = try form.image(root, .logo)
        colour = try root.text(Key.colour.rawValue, maximum: Self.maximumText)
        contact = try root.text(Key.contact.rawValue, maximum: Self.maximumText)
        preferredDomain = try root.text(Key.preferredDomain.rawValue, maximum: Self.maximumDomain)
        if let problem = problems.first { throw problem.inFile }
    }

    private static func tile(_ value: JSONValue, number: Int, _ form: Form) throws(ConfigurationFailure) -> Tile {
        let keys: [Key] = [.title, .page, .program, .arguments, .bundleID, .icon]
        let place = "\(Key.tiles.rawValue)[\(number)]."
        let section = try ConfigurationSection(value, at: place, keys: keys.map(\.rawValue))
        guard let title = try section.text(Key.title.rawValue, maximum: maximumText) else {
            throw ConfigurationFailure(
                key: place + Key.title.rawValue, cause: "is missing", remedy: "Name the tile.")
        }
        let page = try section.text(Key.page.rawValue, maximum: maximumPath)
        let program = try section.optionalPath(Key.program.rawValue)
        let arguments = try section.texts(Key.arguments.rawValue, maximum: maximumArguments)
        let target: Target
        do throws(HomeConfigurationFailure) {
            target = try Target(page: page, program: program, arguments: arguments)
        } catch { throw error.of(tile: number).inFile }
        return Tile(
            title: title, target: target,
            bundleID: try section.text(Key.bundleID.rawValue, maximum: maximumIdentifier),
            icon: try form.image(section, .icon))
    }

    /// The configuration as the broker publishes it to home screens.
    package var published: [UInt8] {
        JSONWriter.write(
            Self.object([
                .organisation: organisation.map(JSONValue.string), .logo: logo?.json,
                .colour: colour.map(JSONValue.string),
                .contact: contact.map(JSONValue.string), .preferredDomain: preferredDomain.map(JSONValue.string),
                .tiles: .array(tiles.map(\.json)),
            ]))
    }

    fileprivate static func object(_ members: KeyValuePairs<HomeConfigurationFailure.Key, JSONValue?>) -> JSONValue {
        .object(members.reduce(into: [:]) { object, member in object[member.key.rawValue] = member.value })
    }
}

extension HomeConfiguration.Tile {
    fileprivate var json: JSONValue {
        let (page, program, arguments): (String?, String?, [String]) =
            switch target {
            case .page(let page): (page, nil, [])
            case .program(let program, let arguments): (nil, program, arguments)
            }
        return HomeConfiguration.object([
            .title: .string(title), .page: page.map(JSONValue.string), .program: program.map(JSONValue.string),
            .arguments: .array(arguments.map(JSONValue.string)), .bundleID: bundleID.map(JSONValue.string),
            .icon: icon?.json,
        ])
    }
}

extension HomeConfiguration.Image {
    fileprivate var json: JSONValue {
        switch self {
        case .file(let path): .string(path)
        case .data(let bytes): .string(Data(bytes).base64EncodedString())
        }
    }
}
