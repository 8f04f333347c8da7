// SPDX-License-Identifier: Apache-2.0
import JSON
import MDMProtocol
import TestSupport
import Testing

@Suite struct HomeConfigurationTests {
    @Test(
        "a wrong configuration is refused, with the key that is wrong",
        arguments: [
            ("[]", "The file"), ("{", "The file"), (#"{"organization": "x"}"#, "organization"),
            (#"{"organisation": ""}"#, "organisation"), (#"{"logo": "logo.png"}"#, "logo"),
            (##"{"colour": "#ffcc00"}"##, "colour"), (#"{"colour": "blue"}"#, "colour"), (#"{"tiles": {}}"#, "tiles"),
            (#"{"preferredDomain": "contoso"}"#, "preferredDomain"),
            (#"{"preferredDomain": "https://contoso.example"}"#, "preferredDomain"),
            (#"{"preferredDomain": "192.0.2.1"}"#, "preferredDomain"),
            (#"{"tiles": [{"page": "https://x.test"}]}"#, "tiles[0].title"),
            (#"{"tiles": [{"title": "x"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "page": "https://x.test", "program": "/x"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "page": "intranet"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "page": "javascript:alert(1)"}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "page": "https://x.test", "arguments": ["y"]}]}"#, "tiles[0].page"),
            (#"{"tiles": [{"title": "x", "program": "rounds"}]}"#, "tiles[0].program"),
            (#"{"tiles": [{"title": "x", "program": "/x", "arguments": [1]}]}"#, "tiles[0].arguments"),
        ])
    func refused(json: String, key: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try HomeConfiguration(json: Array(json.utf8)) }
        #expect(failure?.key == key)
    }

    @Test("the configuration that the broker publishes is read back unchanged, with the images")
    func published() throws {
        var configuration = HomeConfiguration(tiles: [
            .init(
                title: "Rounds", target: .program("/usr/bin/rounds", arguments: ["--ward", "7"]), bundleID: "com.rounds"
            ),
            .init(title: "Intranet", target: .page("https://intra.test/"), icon: .data(TestImage.png)),
        ])
        configuration.organisation = "Seaview"
        configuration.logo = .data(TestImage.png)
        configuration.colour = "#0b5cab"
        configuration.contact = "Help desk 4242"
        configuration.preferredDomain = "contoso.example"
        #expect(try HomeConfiguration(published: configuration.published) == configuration)
        #expect(try HomeConfiguration(published: HomeConfiguration.standard.published) == .standard)
        let forged = #"{"logo": "/etc/passwd"}"#
        #expect(throws: ConfigurationFailure.self) { try HomeConfiguration(published: Array(forged.utf8)) }
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
