// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MDMProtocol
import Testing
import WebPages

@testable import HomeScreen

/// The bar of the kiosk session.
@Suite struct BarTests {
    private static func blocks(_ events: HomeModel.Event..., obstacle: String? = nil) throws -> [BarBlock] {
        var model = HomeModel()
        for event in events { _ = model.handle(event) }
        let composer = HomeViewComposer(
            texts: try HomeText.catalogue.get(), language: .english, configuration: .standard, isLogoUnreadable: false,
            tiles: [], icons: [])
        return BarBlock.blocks(
            of: composer.view(of: model), clock: "12:30", obstacle: obstacle, home: "Home screen", accent: "#0b5cab")
    }

    private static func device(_ stage: DeviceState.Stage) -> HomeModel.Event {
        .device(DeviceState(stage: stage, reason: "shared", hasAgent: true))
    }

    private static func worker(_ name: String) -> HomeModel.Event {
        .account(.worker(HomeModel.Worker(name: name, username: "amara@x.test")))
    }

    @Test("a worker's bar has the home screen, the name, the time, and Hand over at the edge")
    func session() throws {
        let blocks = try Self.blocks(Self.device(.signedIn), Self.worker("Amara Okafor"))
        #expect(blocks.map(\.name) == ["home", "title", "clock", "handover"])
        #expect(blocks[1].text == "\u{2002}Amara Okafor\u{2002}")
        #expect(blocks[3].text.contains("Hand over") && blocks[3].background == "#0b5cab")
        #expect(try #require(blocks[3].minimumWidth) >= 300)
    }

    @Test("Hand over is there before the worker's name is known")
    func unnamed() throws {
        #expect(try Self.blocks(Self.device(.signedIn)).map(\.name) == ["home", "clock", "handover"])
    }

    @Test("a long name leaves Hand over its place")
    func longName() throws {
        let blocks = try Self.blocks(Self.device(.signedIn), Self.worker(String(repeating: "x", count: 300)))
        #expect(blocks[1].text.count == 34 && blocks.last?.name == "handover")
    }

    @Test("a touched button changes at once, and a device without a worker has none")
    func others() throws {
        let touched = try Self.blocks(Self.device(.signedIn), Self.worker("Amara"), .handoverTouched)
        #expect(touched.last?.name == "handover" && touched.last?.background != "#0b5cab")
        for (event, title) in [
            (Self.device(.ready), "Ready"), (Self.device(.ending), "Signing out"),
            (Self.device(.signingOut), "Signing out"), (.brokerLost, "Signing in is not possible now"),
        ] {
            let blocks = try Self.blocks(Self.device(.signedIn), Self.worker("Amara"), event)
            #expect(blocks.map(\.name) == ["title", "clock"] && blocks.first?.text == "\u{2002}\(title)\u{2002}")
        }
    }

    @Test("the bar says why no window opens, in place of what the home screen would say")
    func obstacle() throws {
        let why = "No browser can open (bubblewrap_missing)"
        let ready = try Self.blocks(Self.device(.ready), obstacle: why)
        #expect(ready.map(\.name) == ["obstacle", "clock"] && ready.first?.text == "\u{2002}\(why)\u{2002}")
        let session = try Self.blocks(Self.device(.signedIn), Self.worker("Amara"), obstacle: why)
        #expect(session.map(\.name) == ["home", "obstacle", "clock", "handover"])
    }

    @Test("a block is written as the bar's protocol names its parts")
    func protocolNames() throws {
        let blocks = try Self.blocks(Self.device(.signedIn))
        let data = try JSONEncoder().encode(blocks[2])
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(object.keys) == ["name", "full_text", "background", "min_width", "align", "color", "separator"])
    }

    @Test("touches are read line by line, whatever stands between them")
    func touches() {
        var input = BarInput()
        #expect(input.touches(in: "[\n{ \"name\": \"handover\", \"button\": 1 }".utf8) == [])
        #expect(input.touches(in: "\n,{\"name\": \"home\"}\n".utf8) == [.handover, .home])
        let noise = ["{}", "{\"name\": \"clock\"}", "{\"name\": 1}", "]", "\u{0}", String(repeating: "x", count: 9000)]
        for line in noise { #expect(input.touches(in: (line + "\n").utf8) == []) }
        #expect(input.touches(in: ",{\"name\":\"handover\"}\n".utf8) == [.handover])
    }
}
