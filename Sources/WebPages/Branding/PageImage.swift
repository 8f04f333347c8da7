// SPDX-License-Identifier: Apache-2.0

/// An image for a page: an organisation's logo, or the icon of an app.
package struct PageImage: Sendable, Equatable {
    /// The maximum size in bytes.
    package static let maximumBytes = 256 << 10

    package let bytes: [UInt8]
    package let mediaType: String

    /// Returns nil if there are too many bytes, or if they are not a complete PNG or JPEG file.
    ///
    /// The compressed data is not decoded, so a browser may still be unable to show a damaged image.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        var segments = ImageSegments(bytes)
        if segments.skipPNG() {
            mediaType = "image/png"
        } else {
            segments = ImageSegments(bytes)
            guard segments.skipJPEG() else { return nil }
            mediaType = "image/jpeg"
        }
        self.bytes = bytes
    }
}

/// Walks through the segments of an image file without decoding their content.
private struct ImageSegments {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Returns whether the file is a complete PNG: signature, header, image data, end (PNG, sections 5.2, 5.3 and 5.6).
    mutating func skipPNG() -> Bool {
        guard skip([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return false }
        var (isFirst, hasData) = (true, false)
        while let length = number(bytes: 4), let type = take(4) {
            let name = String(decoding: type, as: UTF8.self)
            // After the content comes a checksum of four bytes.
            guard isFirst == (name == "IHDR"), take(length) != nil, take(4) != nil else { return false }
            if name == "IEND" { return hasData }
            if name == "IDAT" { hasData = true }
            isFirst = false
        }
        return false
    }

    /// Returns whether the file is a complete JPEG: start, segments with one frame header, scans, end (ISO/IEC 10918-1,
    /// section B.2).
    mutating func skipJPEG() -> Bool {
        guard skip([0xff, 0xd8]) else { return false }
        var hasFrame = false
        while skip([0xff]), let marker = take(1)?.first {
            guard let length = number(bytes: 2), length >= 2, take(length - 2) != nil else { return false }
            // C4, C8 and CC are not frame headers, although they are in the same range.
            if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) { hasFrame = true }
            if marker == 0xda {
                // In the data of a scan, FF is followed by 00 unless it begins a marker.
                return hasFrame && zip(rest, rest.dropFirst()).contains { $0 == (0xff, 0xd9) }
            }
        }
        return false
    }

    private mutating func skip(_ bytes: [UInt8]) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    /// Reads a big-endian number; nil at the end of the file.
    private mutating func number(bytes: Int) -> Int? { take(bytes)?.reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the next bytes; nil if the file has fewer.
    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
