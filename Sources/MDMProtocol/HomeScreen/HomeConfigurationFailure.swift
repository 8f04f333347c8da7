// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A value of the home screen's configuration that cannot be used.
package struct HomeConfigurationFailure: Error, Equatable {
    package enum Code: Sendable {
        case text, image, colour, domain, tile, size

        /// The remedy, in full sentences.
        var remedy: String {
            switch self {
            case .text: "Give a text of 1 to 200 characters; a bundle identifier may have 255."
            case .image: "Give a PNG or JPEG image of at most 256 KiB."
            case .colour: "Choose a darker colour as #RRGGBB, such as #0b5cab."
            case .domain: "Give the name of a domain, such as contoso.example."
            case .tile:
                "Give either a page with https:// or http://, or a program by its absolute path with at most 32 arguments."
            case .size: "Give at most 24 tiles, at most 768 KiB of images, and at most 64 KiB of texts."
            }
        }
    }

    /// The keys of the configuration, as the local file spells them.
    package enum Key: String, Sendable, CaseIterable {
        case organisation, logo, colour, contact, preferredDomain, tiles
        case title, page, program, arguments, icon
        case bundleID = "bundleId"
    }

    package let code: Code
    package let key: Key
    /// The index of the tile, starting at 0; nil for a key outside the tiles.
    package private(set) var tile: Int?
    /// The problem, without a full stop and without the value.
    package let cause: String

    init(_ code: Code, _ key: Key, cause: String) {
        (self.code, self.key, self.cause) = (code, key, cause)
    }

    /// Returns the same failure with the index of its tile.
    func of(tile number: Int) -> HomeConfigurationFailure {
        var failure = self
        failure.tile = number
        return failure
    }

    /// The failure in the form in which the reader of a configuration file reports it.
    var inFile: ConfigurationFailure {
        let place = tile.map { "\(Key.tiles.rawValue)[\($0)]." } ?? ""
        return ConfigurationFailure(key: place + key.rawValue, cause: cause, remedy: code.remedy)
    }
}
