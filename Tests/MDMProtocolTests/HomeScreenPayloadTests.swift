// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import MDMProtocol
import TestSupport
import Testing

/// The payload `org.baton.homescreen` of a profile, and the values that the linter refuses.
@Suite struct HomeScreenPayloadTests {
    private static let page = HomeScreenPayload.Tile(title: "Intranet", page: "https://intra.example/")

    private func profile(_ payloads: HomeScreenPayload...) -> Profile {
        Profile(
            identifier: "com.contoso.home", uuid: UUID().uuidString,
            payloads: payloads.enumerated().map { number, payload in
                Payload(
                    identifier: "com.contoso.home.\(number)", uuid: UUID().uuidString, content: .homeScreen(payload))
            })
    }

    private func findings(_ payload: HomeScreenPayload) throws -> [ProfileFinding] {
        ProfileLinter(delivery: .push).findings(inXML: try profile(payload).xml())
    }

    private func codes(_ payload: HomeScreenPayload) throws -> [ProfileFinding.Code] {
        try findings(payload).map(\.code)
    }

    private func codes(_ tile: HomeScreenPayload.Tile) throws -> [ProfileFinding.Code] {
        try codes(HomeScreenPayload(tiles: [Self.page, tile]))
    }

    @Test func `the payload is decoded as it was encoded, and gives what the home screen shows`() throws {
        let payload = HomeScreenPayload(
            organisation: "Contoso", logo: TestImage.png, colour: "#0b5cab", contact: "Help desk 4242",
            preferredDomain: "contoso.example",
            tiles: [
                Self.page,
                .init(
                    title: "Rounds", program: "/usr/bin/rounds", arguments: ["--ward", "7"], bundleID: "com.rounds",
                    icon: TestImage.jpeg),
            ])
        #expect(try codes(payload) == [])
        guard case .homeScreen(let again) = try Profile(xml: profile(payload).xml()).payloads[0].content else {
            Issue.record("the profile has no home screen payload")
            return
        }
        #expect(again == payload)
        let shown = try again.configuration()
        #expect(shown.organisation == "Contoso" && shown.logo == .data(TestImage.png) && shown.colour == "#0b5cab")
        #expect(shown.contact == "Help desk 4242" && shown.preferredDomain == "contoso.example")
        #expect(
            shown.tiles == [
                .init(title: "Intranet", target: .page("https://intra.example/")),
                .init(
                    title: "Rounds", target: .program("/usr/bin/rounds", arguments: ["--ward", "7"]),
                    bundleID: "com.rounds", icon: .data(TestImage.jpeg)),
            ])
        #expect(try HomeScreenPayload().configuration() == .standard)
    }

    @Test func `every value that a home screen could not use is refused, and its key is named`() throws {
        #expect(try codes(HomeScreenPayload(organisation: "")) == [.homeScreenText])
        #expect(
            try codes(HomeScreenPayload(contact: String(repeating: "4", count: 201))) == [.homeScreenText])
        #expect(try codes(HomeScreenPayload(logo: Array("GIF89a".utf8))) == [.homeScreenImage])
        let large = TestImage.png + [UInt8](repeating: 0, count: 256 << 10)
        #expect(try codes(HomeScreenPayload(logo: large)) == [.homeScreenImage])
        #expect(try codes(HomeScreenPayload(colour: "#ffcc00")) == [.homeScreenColour])
        #expect(try codes(HomeScreenPayload(colour: "blue")) == [.homeScreenColour])
        for domain in ["contoso", "contoso.example/", "con toso.example", "192.0.2.1", "contoso.example:443", ""] {
            #expect(try codes(HomeScreenPayload(preferredDomain: domain)) == [.homeScreenDomain])
        }
        let finding = try #require(try findings(HomeScreenPayload(tiles: [Self.page, .init(title: "x")])).first)
        #expect(finding.code == .homeScreenTile && finding.severity == .error)
        #expect(finding.payload == "com.contoso.home.0")
        #expect(
            finding.message
                == "Tiles, entry 2, Page: is missing without a program, or is given with a program or arguments"
        )
    }

    @Test func `a tile opens one page or one program, and has a title and a supported icon`() throws {
        #expect(try codes(.init(title: "", page: "https://x.example")) == [.homeScreenText])
        #expect(try codes(.init(title: "x", page: "javascript:alert(1)")) == [.homeScreenTile])
        #expect(try codes(.init(title: "x", page: "https://x.example", program: "/x")) == [.homeScreenTile])
        #expect(try codes(.init(title: "x", page: "https://x.example", arguments: ["y"])) == [.homeScreenTile])
        #expect(try codes(.init(title: "x", program: "rounds")) == [.homeScreenTile])
        let many = [String](repeating: "x", count: 33)
        #expect(try codes(.init(title: "x", program: "/x", arguments: many)) == [.homeScreenTile])
        #expect(try codes(.init(title: "x", program: "/x", icon: [1, 2, 3])) == [.homeScreenImage])
    }

    @Test func `the largest accepted payload fits into a profile that the server accepts`() throws {
        let tile = HomeScreenPayload.Tile(
            title: "x", program: "/x",
            icon: TestImage.png + [UInt8](repeating: 0, count: (512 << 10) / 24 - TestImage.png.count))
        let logo = TestImage.png + [UInt8](repeating: 0, count: (256 << 10) - TestImage.png.count)
        let texts = [String](repeating: String(repeating: "&", count: 2040), count: 32)
        var payload = HomeScreenPayload(logo: logo, tiles: [HomeScreenPayload.Tile](repeating: tile, count: 24))
        payload.tiles[0].arguments = texts
        #expect(try codes(payload) == [])
        #expect(Data(try profile(payload).xml()).base64EncodedString().utf8.count < (2 << 20) - 4096)
        #expect(try payload.configuration().published.count < HomeConfiguration.maximumPublished)
        payload.tiles.append(Self.page)
        #expect(try codes(payload) == [.homeScreenSize])
        payload.tiles.removeLast()
        payload.tiles[1].icon? += [UInt8](repeating: 0, count: 1024)
        #expect(try codes(payload) == [.homeScreenSize])
        payload.tiles[1].icon = nil
        payload.contact = String(repeating: "x", count: 200)
        payload.tiles[1].arguments = [String(repeating: "x", count: 200)]
        #expect(try codes(payload) == [.homeScreenSize])
    }

    @Test func `only one payload of a pushed profile may decide for a device, and unknown keys are refused`() throws {
        func codes(_ profile: Profile, beside others: [Profile] = []) throws -> [ProfileFinding.Code] {
            ProfileLinter(delivery: .push, beside: others).findings(inXML: try profile.xml()).map(\.code)
        }
        let payload = HomeScreenPayload(tiles: [Self.page])
        #expect(try codes(profile(payload, payload)) == [.homeScreenTwice])
        #expect(try codes(profile(payload), beside: [profile(payload)]) == [.homeScreenTwice])
        #expect(
            ProfileLinter(delivery: .enrollment).findings(in: profile(payload)).map(\.code)
                == [.enrollmentMissing, .homeScreenOutsideMDM])
        let text = String(decoding: try profile(payload).xml(), as: UTF8.self)
        for (key, wrong) in [("Page", "Adress"), ("Tiles", "Apps")] {
            let misspelt = text.replacing("<key>\(key)</key>", with: "<key>\(wrong)</key><string/><key>\(key)</key>")
            let finding = try #require(ProfileLinter(delivery: .push).findings(inXML: Array(misspelt.utf8)).first)
            #expect(finding.code == .homeScreenKey && finding.severity == .error)
            #expect(finding.message.hasPrefix(wrong) && finding.payload == "com.contoso.home.0")
        }
        for (key, value) in [("Title", "<integer>1</integer>"), ("Tiles", "<dict/>"), ("Page", "<true/>")] {
            let changed = text.replacing(
                "<key>\(key)</key>", with: "<key>\(key)</key>\(value)<key>Former\(key)</key>")
            #expect(ProfileLinter(delivery: .push).findings(inXML: Array(changed.utf8)).map(\.code) == [.malformed])
        }
    }
}
