// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc

/// The colour of buttons, which have white text.
package enum AccentColour {
    package static let standard = "#0b5cab"

    /// Whether the text is a colour `#RRGGBB` whose contrast with white is at least 4.5:1 (WCAG 2.2, success criterion
    /// 1.4.3).
    package static func isReadable(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, let number = UInt32(digits: digits) else {
            return false
        }
        let channels = [number >> 16, number >> 8, number].map { Double($0 & 0xff) / 255 }
        let linear = channels.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        return 1.05 / (luminance + 0.05) >= 4.5
    }
}

extension UInt32 {
    fileprivate init?(digits: Substring.UTF8View) {
        let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard isHexadecimal, let value = UInt32(String(Substring(digits)), radix: 16) else { return nil }
        self = value
    }
}
