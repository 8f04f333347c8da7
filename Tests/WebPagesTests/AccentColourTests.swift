// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@Suite struct AccentColourTests {
    @Test func `a dark colour is accepted, and one on which white text cannot be read is not`() {
        #expect(AccentColour.isReadable("#0b5cab") && AccentColour.isReadable("#7A1F5C"))
        #expect(AccentColour.isReadable("#767676") && !AccentColour.isReadable("#777777"))
    }

    @Test(arguments: [
        "", "#", "0b5cab", "#0b5ca", "#0b5cabc", "#0b5cag", "#+b5cab", "#000", "#0000000", "red;}", "#０b5cab",
    ])
    func `only six hexadecimal digits are a colour`(text: String) { #expect(!AccentColour.isReadable(text)) }
}
