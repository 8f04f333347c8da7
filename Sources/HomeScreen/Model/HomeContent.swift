// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import MDMProtocol
internal import WebPages

/// One configuration with its images, and a number for each tile.
///
/// A number is never used for another target, so that a touch on a tile that has just been replaced cannot open the
/// wrong target. A tile keeps its number as long as its target stays the same.
struct HomeContent: Sendable {
    let configuration: HomeConfiguration
    /// The number of contents that were shown before this one.
    let number: Int
    let logo: PageImage?
    /// The numbers of the tiles, in their order.
    let tiles: [Int]
    /// The icons that could be read, by the number of the tile.
    let icons: [Int: PageImage]
    /// The next number of a tile.
    private let next: Int

    /// Reads the images; blocks on the disk.
    ///
    /// - Parameter former: the content that was shown before.
    init(_ configuration: HomeConfiguration, after former: HomeContent?) {
        self.configuration = configuration
        number = former.map { $0.number + 1 } ?? 0
        logo = configuration.logo.flatMap(PageImage.init(_:))
        var (numbers, next): ([Int], Int) = ([], former?.next ?? 0)
        for tile in configuration.tiles {
            let same = former?.numbers(opening: tile.target).first { !numbers.contains($0) }
            numbers.append(same ?? next)
            if same == nil { next += 1 }
        }
        (tiles, self.next) = (numbers, next)
        let icons = zip(numbers, configuration.tiles).compactMap { number, tile in
            tile.icon.flatMap(PageImage.init(_:)).map { (number, $0) }
        }
        self.icons = Dictionary(uniqueKeysWithValues: icons)
    }

    var isLogoUnreadable: Bool { configuration.logo != nil && logo == nil }

    /// Returns what the tile with this number opens; nil if there is none.
    func target(of number: Int) -> HomeConfiguration.Target? {
        tiles.firstIndex(of: number).map { configuration.tiles[$0].target }
    }

    private func numbers(opening target: HomeConfiguration.Target) -> [Int] {
        zip(tiles, configuration.tiles).filter { $0.1.target == target }.map(\.0)
    }
}

extension PageImage {
    /// Reads an image; nil if its file does not exist, or if it is not an image that a page can show. Blocks on the
    /// disk.
    fileprivate init?(_ image: HomeConfiguration.Image) {
        switch image {
        case .data(let bytes): self.init(bytes: bytes)
        case .file(let path):
            guard let bytes = (try? AtomicFile(path: path).read(limit: Self.maximumBytes)) ?? nil else { return nil }
            self.init(bytes: bytes)
        }
    }
}
