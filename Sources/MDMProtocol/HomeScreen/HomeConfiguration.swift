// SPDX-License-Identifier: Apache-2.0
internal import BrowserPolicies
internal import WebPages

/// The configuration of the home screen, from the MDM or from a local file.
package struct HomeConfiguration: Sendable, Hashable {
    /// What a tile opens.
    package enum Target: Sendable, Hashable {
        /// A page, in the worker's browser.
        case page(String)
        /// A program, by its absolute path.
        case program(String, arguments: [String])
    }

    /// A PNG or JPEG image.
    package enum Image: Sendable, Hashable {
        /// The absolute path of its file.
        case file(String)
        case data([UInt8])
    }

    /// One tile. `bundleID` names the app, so that the tile can show whether the app is locked.
    package struct Tile: Sendable, Hashable {
        package let title: String
        package let target: Target
        package let bundleID: String?
        package let icon: Image?

        package init(title: String, target: Target, bundleID: String? = nil, icon: Image? = nil) {
            (self.title, self.target, self.bundleID, self.icon) = (title, target, bundleID, icon)
        }
    }

    /// The organisation's name.
    package var organisation: String?
    package var logo: Image?
    /// The colour of buttons, `#RRGGBB`; white text on it is readable.
    package var colour: String?
    /// Whom to call, such as `Help desk: 4242`.
    package var contact: String?
    /// The domain of most workers' accounts, sent as the domain hint of a sign-in.
    package var preferredDomain: String?
    package var tiles: [Tile]

    /// The configuration of a device for which nobody has set a configuration.
    package static let standard = HomeConfiguration(tiles: [])

    package init(tiles: [Tile]) { self.tiles = tiles }
}

// MARK: - Limits

extension HomeConfiguration {
    package static let maximumTiles = 24
    /// The maximum number of characters of a text. The three constants below are the limits of a path, a bundle
    /// identifier and a host name.
    static let maximumText = 200
    static let maximumPath = 4096
    static let maximumIdentifier = 255
    static let maximumDomain = 253
    static let maximumArguments = 32
    /// The maximum number of bytes of all images together, and of all texts together. These limits keep a profile,
    /// encoded in Base64, below the 2 MB that the server accepts.
    static let maximumImages = 768 << 10
    static let maximumTexts = 64 << 10

    /// The values that a home screen would refuse, with the reasons.
    package var problems: [HomeConfigurationFailure] {
        var found: [HomeConfigurationFailure?] = [
            Self.text(organisation, .organisation), Self.text(contact, .contact), Self.image(logo, .logo),
        ]
        if let colour, !AccentColour.isReadable(colour) {
            found.append(
                .init(
                    .colour, .colour, cause: "is not a colour #RRGGBB on which white text is readable (contrast 4.5:1)")
            )
        }
        if let preferredDomain, !Self.isDomain(preferredDomain) {
            found.append(.init(.domain, .preferredDomain, cause: "is not the name of a domain"))
        }
        for (number, tile) in tiles.enumerated() {
            let own = [
                Self.text(tile.title, .title), Self.text(tile.bundleID, .bundleID, maximum: Self.maximumIdentifier),
                Self.image(tile.icon, .icon),
            ]
            found += own.map { $0?.of(tile: number) }
        }
        return (found + sizes).compactMap(\.self)
    }

    private var sizes: [HomeConfigurationFailure?] {
        let images = ([logo] + tiles.map(\.icon)).reduce(0) { $0 + ($1?.size ?? 0) }
        let texts = ([organisation, contact] + tiles.flatMap(\.texts)).reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        return [
            tiles.count <= Self.maximumTiles
                ? nil : .init(.size, .tiles, cause: "has more than \(Self.maximumTiles) entries"),
            images <= Self.maximumImages
                ? nil : .init(.size, .tiles, cause: "has, with the logo, more than 768 KiB of images"),
            texts <= Self.maximumTexts ? nil : .init(.size, .tiles, cause: "has more than 64 KiB of texts"),
        ]
    }

    private static func text(
        _ text: String?, _ key: HomeConfigurationFailure.Key, maximum: Int = maximumText
    ) -> HomeConfigurationFailure? {
        guard let text, !(1...maximum).contains(text.count) else { return nil }
        return .init(.text, key, cause: "is not a text of 1 to \(maximum) characters")
    }

    private static func image(_ image: Image?, _ key: HomeConfigurationFailure.Key) -> HomeConfigurationFailure? {
        guard case .data(let bytes)? = image,
            PageImage(bytes: bytes) == nil
        else { return nil }
        return .init(.image, key, cause: "is not a PNG or JPEG image of at most 256 KiB")
    }

    /// Whether the text is a host name of at least two labels.
    private static func isDomain(_ text: String) -> Bool {
        guard text.contains("."), text.utf8.count <= maximumDomain, let address = try? WebAddress("https://\(text)")
        else { return false }
        return address.host == text.lowercased() && address.host.utf8.last.map { !(48...57).contains($0) } == true
    }
}

extension HomeConfiguration.Target {
    /// Makes a target from the values of a tile.
    ///
    /// - Throws: ``HomeConfigurationFailure`` unless the target is either a page or a program, and well-formed.
    init(page: String?, program: String?, arguments: [String]) throws(HomeConfigurationFailure) {
        switch (page, program) {
        case (let page?, nil) where arguments.isEmpty:
            guard (try? WebAddress(page)) != nil else {
                throw .init(.tile, .page, cause: "is not an address that a browser can open")
            }
            self = .page(page)
        case (nil, let program?):
            guard program.hasPrefix("/"), program.utf8.count <= HomeConfiguration.maximumPath else {
                throw .init(.tile, .program, cause: "is not an absolute path")
            }
            guard arguments.count <= HomeConfiguration.maximumArguments else {
                throw .init(.tile, .arguments, cause: "has more than \(HomeConfiguration.maximumArguments) entries")
            }
            self = .program(program, arguments: arguments)
        default:
            throw .init(
                .tile, .page,
                cause: "is missing without a program, or is given with a program or arguments")
        }
    }
}

extension HomeConfiguration.Image {
    /// The image's size in bytes; 0 if the configuration contains only a path.
    fileprivate var size: Int {
        switch self {
        case .file: 0
        case .data(let bytes): bytes.count
        }
    }
}

extension HomeConfiguration.Tile {
    fileprivate var texts: [String?] {
        switch target {
        case .page(let page): [title, bundleID, page]
        case .program(let program, let arguments): [title, bundleID, program] + arguments
        }
    }
}
