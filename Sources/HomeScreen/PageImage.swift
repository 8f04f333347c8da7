// SPDX-License-Identifier: Apache-2.0
internal import Files

/// An image for the page: the organisation's logo, or a tile's icon.
struct PageImage: Sendable {
    /// The types that the page shows, by the first bytes of a file (PNG, section 5.2; JPEG, ISO/IEC 10918-1, SOI).
    private static let types: [(beginning: [UInt8], mediaType: String)] = [
        ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"), ([0xff, 0xd8, 0xff], "image/jpeg"),
    ]
    private static let maximumBytes = 256 << 10

    let bytes: [UInt8]
    let mediaType: String

    /// Reads an image; nil if there is no such file, if it is too large, or if it is no PNG or JPEG.
    init?(path: String) {
        guard let bytes = (try? AtomicFile(path: path).read(limit: Self.maximumBytes)) ?? nil,
            let type = Self.types.first(where: { bytes.starts(with: $0.beginning) })
        else { return nil }
        (self.bytes, mediaType) = (bytes, type.mediaType)
    }
}
