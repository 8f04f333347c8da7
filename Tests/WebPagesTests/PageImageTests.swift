// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@Suite struct PageImageTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    @Test func `PNG and JPEG files are accepted as images`() {
        #expect(PageImage(bytes: Self.png + [1])?.mediaType == "image/png")
        #expect(PageImage(bytes: [0xff, 0xd8, 0xff, 0xe0])?.mediaType == "image/jpeg")
    }

    @Test func `other files and files that are too large are not accepted as images`() {
        #expect(PageImage(bytes: Array("<svg onload=alert(1)>".utf8)) == nil)
        #expect(PageImage(bytes: []) == nil)
        #expect(PageImage(bytes: Array(Self.png.dropLast())) == nil)
        let largest = Self.png + [UInt8](repeating: 0, count: PageImage.maximumBytes - Self.png.count)
        #expect(PageImage(bytes: largest) != nil && PageImage(bytes: largest + [0]) == nil)
    }
}
