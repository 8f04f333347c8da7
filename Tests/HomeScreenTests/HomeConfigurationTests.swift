// SPDX-License-Identifier: Apache-2.0
import JSON
import Testing

@testable import HomeScreen

@Suite struct HomeConfigurationTests {
    @Test(
        "a wrong configuration is refused, with the key that is wrong",
        arguments: [
            ("[]", "The file"), ("{", "The file"), (#"{"organization": "x"}"#, "organization"),
            (#"{"organisation": ""}"#, "organisation"), (#"{"logo": "logo.png"}"#, "logo"),
            (##"{"colour": "#ffcc00"}"##, "colour"), (#"{"colour": "blue"}"#, "colour"), (#"{"tiles": {}}"#, "tiles"),
            (#"{"tiles": [{"page": "https://x.test"}]}"#, "tiles[0].title"),
            (#"{"tiles": [{"title": "x"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "page": "https://x.test", "program": "/x"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "program": "rounds"}]}"#, "tiles[0].program"),
            (#"{"tiles": [{"title": "x", "program": "/x", "arguments": [1]}]}"#, "tiles[0].arguments"),
        ])
    func refused(json: String, key: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try HomeConfiguration(json: Array(json.utf8)) }
        #expect(failure?.key == key)
    }

    @Test("a configuration has at most 24 tiles")
    func tiles() throws {
        func json(_ count: Int) -> [UInt8] {
            let tile = #"{"title": "x", "page": "https://x.test"}"#
            return Array("{\"tiles\": [\(Array(repeating: tile, count: count).joined(separator: ","))]}".utf8)
        }
        #expect(try HomeConfiguration(json: json(24)).tiles.count == 24)
        #expect(throws: ConfigurationFailure.self) { try HomeConfiguration(json: json(25)) }
    }
}
