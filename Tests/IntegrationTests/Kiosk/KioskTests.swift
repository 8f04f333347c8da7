// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The kiosk session under sway.
@Suite(.timeLimit(.minutes(5))) struct KioskTests {
    /// The shortcuts that reach a window. They also show that the keyboard of these tests works.
    private static let needed =
        "a shift+a tab shift+tab escape f3 f5 f6 f7 f10 ctrl+a ctrl+c ctrl+f ctrl+r ctrl+v ctrl+x ctrl+z ctrl+y ctrl+tab"
        + " ctrl+- ctrl+= ctrl+shift+= ctrl+0 ctrl+left ctrl+shift+left ctrl+shift+home alt+left alt+f"

    /// Shortcuts for other windows, files, printing, developer tools, and closing a window.
    private static let refused: [String] = {
        let letters = "qwertyuiopasdfghjklzxcvbnm".map(String.init)
        let others =
            "ctrl+d ctrl+h ctrl+j ctrl+n ctrl+o ctrl+p ctrl+q ctrl+s ctrl+t ctrl+u ctrl+w ctrl+f4 shift+escape f1 f11 f12"
            + " ctrl+shift+delete ctrl+shift+escape ctrl+shift+tab ctrl+shift+return ctrl+shift+pageup ctrl+shift+pagedown"
            + " ctrl+shift+f7 ctrl+alt+delete ctrl+alt+shift+i ctrl+alt+shift+t ctrl+alt+shift+v alt+f4 alt+tab alt+home"
            + " alt+space alt+shift+i shift+f2 shift+f4 shift+f5 shift+f7 shift+f8 shift+f9 shift+f12 help close favorites"
            + " homepage new open save search"
        return letters.map { "ctrl+shift+" + $0 } + letters.map { "ctrl+alt+" + $0 }
            + (1...12).map { "ctrl+alt+f\($0)" } + others.split(separator: " ").map(String.init)
    }()

    @Test func `sway finds nothing wrong with the configuration`() async throws {
        try await Scratch.with { scratch in
            let (code, words) = try await KioskFixture.validate(in: scratch)
            #expect(code == 0, "\(words)")
        }
    }

    @Test func `only shortcuts that a window needs reach it, whatever the keyboard's layout`() async throws {
        try await Scratch.with { scratch in
            let kiosk = try await KioskFixture(in: scratch)
            let needed = Self.needed.split(separator: " ")
            for (layout, locks) in [("us", "none"), ("de", "num"), ("ru", "caps"), ("ara", "caps,num")] {
                let before = try kiosk.said().count
                try await kiosk.press(Self.refused + needed.map(String.init), layout: layout, locks: locks)
                try await FolderWatch(scratch.path).until("the last key") {
                    try kiosk.said().dropFirst(before).contains("alt+f")
                }
                let said = try kiosk.said().dropFirst(before)
                #expect(Array(said) == ["keyboard"] + needed, "\(layout), \(locks)")
            }
        }
    }

    @Test func `a window that asks for full screen loses it at once`() async throws {
        try await Scratch.with { scratch in
            let kiosk = try await KioskFixture(in: scratch)
            for count in 1...3 {
                try await kiosk.press(["1"])
                try await kiosk.says("full screen", times: count)
                try await kiosk.says("no full screen", times: count)
            }
        }
    }

    @Test func `after a hand-over no program of the session holds a worker's name or a window's title`() async throws {
        try await Scratch.with { scratch in
            let texts = [
                "name": "worker-\(UInt64.random(in: .min ... .max))",
                "title": "title-\(UInt64.random(in: .min ... .max))",
            ]
            let kiosk = try await KioskFixture(
                worker: try #require(texts["name"]), title: try #require(texts["title"]), in: scratch)
            let bar = try kiosk.program("swaybar")
            let before = try await search(texts, in: ["bar": bar], "--expect-hit", "bar=name", in: scratch)
            #expect(before.code == 0, "\(before.output)")
            try kiosk.handover()
            try await bar.waitForEnd()
            try await kiosk.bars(2)
            try await kiosk.windows(2)
            try await findNothing(texts, in: kiosk, scratch)
            #expect(try kiosk.program("swaybar").pid != bar.pid)
        }
    }

    /// Searches every program's memory. If a program ends meanwhile, the search is repeated.
    private func findNothing(_ texts: [String: String], in kiosk: KioskFixture, _ scratch: Scratch) async throws {
        var output = ""
        for _ in 0..<5 {
            let programs = try kiosk.programs()
            // A swaymsg ends with each event, so there may be none at this moment.
            try #require(Set(["swaybar", "baton-kiosk-ses", "baton-kiosk-bar"]).isSubset(of: programs.map(\.name)))
            let named = programs.map { ("\($0.name) \($0.process.pid)", $0.process) }
            let run = try await search(
                texts, in: Dictionary(named) { first, _ in first }, "--expect-none", in: scratch)
            if run.code == 0 { return }
            output = run.output
            guard programs.contains(where: \.process.hasEnded) else { break }
        }
        Issue.record("\(output)")
    }

    private func search(
        _ texts: [String: String], in processes: [String: ForeignProcess], _ words: String..., in scratch: Scratch
    ) async throws -> TraceSearchRun {
        let places = processes.flatMap { ["--process", "\($0.key)=\($0.value.pid)"] }
        let canaries = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
        return try await TraceSearchRun(for: canaries, places + words, in: scratch)
    }

    @Test(arguments: ["swaybar", "baton-kiosk-ses"])
    func `the session ends if its bar does, or a part of its script`(program: String) async throws {
        try await Scratch.with { scratch in
            let kiosk = try await KioskFixture(in: scratch)
            try kiosk.program(program).kill()
            #expect(try await kiosk.sway.waitForExit() == 0)
        }
    }
}
