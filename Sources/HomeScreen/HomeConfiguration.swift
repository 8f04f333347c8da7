// SPDX-License-Identifier: Apache-2.0
package import JSON
internal import WebPages

/// The configuration of the home screen. All keys are optional; unknown keys are errors.
///
/// | key | type | meaning |
/// |---|---|---|
/// | `organisation` | string | the organisation's name |
/// | `logo` | string | the absolute path of a PNG or JPEG file, at most 256 KiB |
/// | `colour` | string | the colour of buttons, `#RRGGBB`; white text on it must be readable |
/// | `contact` | string | whom to call, such as `Help desk: 4242` |
/// | `tiles` | list | at most 24 tiles, see ``Tile`` |
package struct HomeConfiguration: Sendable, Equatable {
    /// What a tile opens.
    package enum Target: Sendable, Equatable {
        /// A page, in the worker's browser.
        case page(String)
        /// A program, by its absolute path.
        case program(String, arguments: [String])
    }

    /// One tile. `title` is required, and exactly one of `page` and `program`; `arguments` go with `program`. `bundleId`
    /// names the app, so that the tile shows whether it is locked; `icon` is the path of a PNG or JPEG file.
    package struct Tile: Sendable, Equatable {
        package let title: String
        package let target: Target
        package let bundleID: String?
        package let icon: String?
    }

    package let organisation: String?
    package let logo: String?
    package let colour: String?
    package let contact: String?
    package let tiles: [Tile]

    package static let standard = HomeConfiguration(organisation: nil, logo: nil, colour: nil, contact: nil, tiles: [])

    private init(organisation: String?, logo: String?, colour: String?, contact: String?, tiles: [Tile]) {
        (self.organisation, self.logo, self.colour) = (organisation, logo, colour)
        (self.contact, self.tiles) = (contact, tiles)
    }

    private static let maximumTiles = 24
    /// The maximum number of characters of a text, and of a path.
    private static let maximumText = 200
    private static let maximumPath = 4096

    /// Reads a JSON text (RFC 8259).
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(json: [UInt8]) throws(ConfigurationFailure) {
        let limits = JSONLimits(bytes: 256 << 10, depth: 5, values: 2048, stringBytes: 8192)
        guard let value = try? JSONReader.read(json, limits: limits) else {
            throw ConfigurationFailure(key: "The file", cause: "is not JSON", remedy: "Correct it.")
        }
        let root = try ConfigurationSection(
            value, at: "", keys: ["organisation", "logo", "colour", "contact", "tiles"])
        organisation = try root.text("organisation", maximum: Self.maximumText)
        logo = try root.optionalPath("logo")
        colour = try root.text("colour", maximum: 7)
        contact = try root.text("contact", maximum: Self.maximumText)
        if let colour, !AccentColour.isReadable(colour) {
            throw ConfigurationFailure(
                key: "colour", cause: "is not a colour #RRGGBB on which white text is readable (contrast 4.5:1)",
                remedy: "Choose a darker colour, such as #0b5cab.")
        }
        var tiles: [Tile] = []
        for (index, value) in try root.list("tiles", maximum: Self.maximumTiles).enumerated() {
            tiles.append(try Self.tile(value, at: "tiles[\(index)]."))
        }
        self.tiles = tiles
    }

    private static func tile(_ value: JSONValue, at place: String) throws(ConfigurationFailure) -> Tile {
        let keys = ["title", "page", "program", "arguments", "bundleId", "icon"]
        let section = try ConfigurationSection(value, at: place, keys: keys)
        guard let title = try section.text("title", maximum: maximumText) else {
            throw ConfigurationFailure(key: place + "title", cause: "is missing", remedy: "Name the tile.")
        }
        let (page, program) = (try section.text("page", maximum: maximumPath), try section.optionalPath("program"))
        let words = try section.texts("arguments", maximum: 32)
        let target: Target
        switch (page, program) {
        case (let page?, nil) where words.isEmpty: target = .page(page)
        case (nil, let program?): target = .program(program, arguments: words)
        default:
            throw ConfigurationFailure(
                key: place + "page", cause: "and program: a tile has exactly one of them", remedy: "Give one of them.")
        }
        return Tile(
            title: title, target: target, bundleID: try section.text("bundleId", maximum: 255),
            icon: try section.optionalPath("icon"))
    }
}
