// SPDX-License-Identifier: Apache-2.0

/// A kind of compressed stream.
enum Packing: String {
    case gzip, zlib, zip, deflate

    /// zlib's parameter for this kind (`inflateInit2`).
    var windowBits: Int32 {
        switch self {
        case .gzip: 31
        case .zlib: 15
        case .zip, .deflate: -15
        }
    }

    /// Calls `found` where a stream may begin in the first `limit` bytes of the window. A raw deflate stream has no
    /// signature.
    static func search(_ window: Span<UInt8>, limit: Int, found: (_ offset: Int, _ packing: Packing) -> Void) {
        for offset in 0..<min(limit, max(0, window.count - 1)) {
            switch window[offset] {
            case 0x78:
                if [0x01, 0x5e, 0x9c, 0xda].contains(window[offset + 1]) { found(offset, .zlib) }
            case 0x1f:
                if begins(window, offset, [0x1f, 0x8b, 0x08]) { found(offset, .gzip) }
            case UInt8(ascii: "P"):
                if begins(window, offset, [0x50, 0x4b, 0x03, 0x04]) { found(offset, .zip) }
            default: continue
            }
        }
    }

    private static func begins(_ window: Span<UInt8>, _ offset: Int, _ sign: [UInt8]) -> Bool {
        guard offset + sign.count <= window.count else { return false }
        for index in sign.indices where window[offset + index] != sign[index] { return false }
        return true
    }
}
