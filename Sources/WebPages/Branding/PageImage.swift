// SPDX-License-Identifier: Apache-2.0

/// An image for a page: an organisation's logo, or the icon of an app.
package struct PageImage: Sendable, Equatable {
    /// The types that pages show, by the first bytes of a file (PNG, section 5.2; JPEG, ISO/IEC 10918-1, SOI).
    private static let types: [(beginning: [UInt8], mediaType: String)] = [
        ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"), ([0xff, 0xd8, 0xff], "image/jpeg"),
    ]
    /// The maximum size in bytes.
    package static let maximumBytes = 256 << 10

    package let bytes: [UInt8]
    package let mediaType: String

    /// Returns nil if the bytes are too many, or not a PNG or JPEG file.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes, let type = Self.types.first(where: { bytes.starts(with: $0.beginning) })
        else { return nil }
        (self.bytes, mediaType) = (bytes, type.mediaType)
    }
}
