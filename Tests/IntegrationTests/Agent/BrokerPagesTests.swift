// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing
import WebPages

@testable import BrokerSession

/// The broker's own pages in a real Chromium. Other tests serve these pages; this suite checks what all of them look
/// like.
@Suite(.timeLimit(.minutes(10))) struct BrokerPagesTests {
    private struct Wanted: Encodable {
        struct Page: Encodable {
            let name: String
            let language: String
            let content: String
        }

        let policy: String
        let files: [String: [String: String]]
        let pages: [Page]
    }

    private struct Seen: Decodable { let faults: [String] }

    @Test func `every page of the broker fits and is accessible in every language, size and theme`() async throws {
        let wanted = Wanted(
            policy: LoopbackFile.policy,
            files: Dictionary(
                uniqueKeysWithValues: LoopbackFile.allCases.map { file in
                    (file.rawValue, ["type": file.mediaType, "content": String(decoding: file.bytes, as: UTF8.self)])
                }),
            pages: Language.allCases.flatMap(Self.pages))
        let faults = try await Scratch.with { scratch in
            let file = scratch.path("pages.json")
            try JSONEncoder().encode(wanted).write(to: URL(filePath: file))
            let person = try await RunningProgram.start(
                Repository.root + "/.venv-foreign/bin/python3",
                [Repository.root + "/Tests/Person/broker_pages.py", file], log: "pages.log", awaitsReady: false,
                in: scratch)
            #expect(try await person.waitForExit() == 0)
            let line = try #require(try person.log().split(separator: "\n").last)
            return try JSONDecoder().decode(Seen.self, from: Data(line.utf8)).faults
        }
        #expect(faults == [])
    }

    private static func pages(in language: Language) -> [Wanted.Page] {
        let either = OfflinePage.Purpose.signIn(by: .either)
        let forms =
            OfflinePage.Notice.allCases.map { ("\($0)", form(either, $0, in: language)) } + [
                ("password", form(.signIn(by: .password), .none, in: language)),
                ("pin", form(.signIn(by: .pin), .none, in: language)), ("new-pin", form(.newPIN, .none, in: language)),
            ]
        let others = [
            ("signed-in-offline", OfflinePage.done(.signIn(by: .password), in: language)),
            ("pin-set", OfflinePage.done(.newPIN, in: language)), ("no-pin", OfflinePage.declined(in: language)),
        ]
        let loopback = LoopbackPage.allCases.map { ("\($0)", $0.text(in: language)) }
        return (forms + others + loopback).map {
            Wanted.Page(name: $0.0, language: language.rawValue, content: $0.1)
        }
    }

    private static func form(
        _ purpose: OfflinePage.Purpose, _ notice: OfflinePage.Notice, in language: Language
    ) -> String {
        OfflinePage.form(purpose, in: language, action: "action", token: "token", notice: notice)
    }
}
