// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@testable import HomeScreen

@Suite struct HomeTextTests {
    @Test("every language has every text, with the same placeholders")
    func complete() throws { _ = try HomeText.catalogue.get() }
}
