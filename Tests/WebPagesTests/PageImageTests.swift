// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import WebPages

@Suite struct PageImageTests {
    @Test func `PNG and JPEG files are accepted as images`() {
        #expect(PageImage(bytes: TestImage.png)?.mediaType == "image/png")
        #expect(PageImage(bytes: TestImage.png + [1])?.mediaType == "image/png")
        #expect(PageImage(bytes: TestImage.jpeg)?.mediaType == "image/jpeg")
    }

    @Test func `other files and files that are too large are not accepted as images`() {
        #expect(PageImage(bytes: Array("<svg onload=alert(1)>".utf8)) == nil)
        let largest = TestImage.png + [UInt8](repeating: 0, count: PageImage.maximumBytes - TestImage.png.count)
        #expect(PageImage(bytes: largest) != nil && PageImage(bytes: largest + [0]) == nil)
    }

    @Test(arguments: [TestImage.png, TestImage.jpeg])
    func `an image that is cut off anywhere is not an image`(image: [UInt8]) {
        for length in image.indices { #expect(PageImage(bytes: Array(image.prefix(length))) == nil, "\(length) bytes") }
    }

    @Test func `chunks that lie about their length, and files without a picture, are not images`() {
        var endless = TestImage.png
        endless[33] = 0xff
        #expect(PageImage(bytes: endless) == nil)
        let header = Array(TestImage.png.prefix(33))
        #expect(PageImage(bytes: header + TestImage.png.suffix(12)) == nil)
        #expect(PageImage(bytes: Array(TestImage.png.prefix(8)) + TestImage.png.dropFirst(33)) == nil)
        #expect(PageImage(bytes: [0xff, 0xd8, 0xff, 0xe0, 0, 1, 0xff, 0xda, 0, 3, 1, 0xff, 0xd9]) == nil)
        #expect(PageImage(bytes: [0xff, 0xd8, 0xff, 0xda, 0, 3, 1, 0xff, 0xd9]) == nil)
    }
}
