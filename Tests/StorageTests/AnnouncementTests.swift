// SPDX-License-Identifier: Apache-2.0
import Storage
import Testing

/// The texts in which nodes announce changes to each other.
@Suite struct AnnouncementTests {
    private let sender = "0123456789abcdef"

    private func message(_ number: Int) -> AnnouncementMessage {
        AnnouncementMessage(kind: "device", key: "\(10_000 + number)/\(String(repeating: "k", count: 80))")
    }

    @Test func `a text contains each announcement once, in order, and is decoded as it was encoded`() throws {
        let messages = [message(1), message(2), message(1), AnnouncementMessage(kind: "registration")]
        let texts = AnnouncementBatch.texts(of: messages, from: sender)
        let text = try #require(texts.first)
        let batch = try #require(AnnouncementBatch(text: text))
        #expect(texts.count == 1)
        #expect(batch == AnnouncementBatch(sender: sender, messages: [message(1), message(2), messages[3]]))
        #expect(
            AnnouncementBatch.texts(of: [], from: sender).compactMap(AnnouncementBatch.init)
                == [AnnouncementBatch(sender: sender, messages: [])])
    }

    @Test func `no text is longer than the server accepts, and too many announcements become a gap`() throws {
        let some = (0..<1000).map(message)
        let texts = AnnouncementBatch.texts(of: some, from: sender)
        #expect(texts.count > 1 && texts.allSatisfy { $0.utf8.count <= AnnouncementBatch.maximumLength })
        #expect(texts.compactMap(AnnouncementBatch.init).flatMap(\.messages) == some)

        let first = try #require(texts.first.flatMap(AnnouncementBatch.init))
        let most = first.messages.count * AnnouncementBatch.maximumTexts
        let many = AnnouncementBatch.texts(of: (0..<most).map(message), from: sender)
        #expect(many.count == AnnouncementBatch.maximumTexts)
        let gap = AnnouncementBatch.texts(of: (0...most).map(message), from: sender)
        #expect(gap.compactMap(AnnouncementBatch.init) == [AnnouncementBatch(sender: sender, messages: [.gap])])
    }

    @Test(
        arguments: [
            "", "\n", "1", "2 0123456789abcdef", "1 0123456789ABCDEF", "1 0123456789abcde", "1  0123456789abcdef",
            "1 0123456789abcdef\n", "1 0123456789abcdef\ndevice", "1 0123456789abcdef\nDevice a",
            "1 0123456789abcdef\ndevice a b", "1 0123456789abcdef\n a", "1 0123456789abcdef\ndevice \u{e4}",
            "1 0123456789abcdef\ndevice " + String(repeating: "a", count: 129),
            "1 0123456789abcdef" + String(repeating: "\ndevice a", count: 900),
        ])
    func `a malformed text is refused`(text: String) {
        #expect(AnnouncementBatch(text: text) == nil)
    }

    @Test(arguments: Backend.allCases)
    func `observers of one kind get only this kind, and learn of gaps`(backend: Backend) async throws {
        try await backend.with([people]) { database in
            let observed = Observed(database)
            if database.isShared { await observed.gap() }
            try await database.write { connection in
                try connection.announce(AnnouncementMessage(kind: "wedding", key: "a"))
                try connection.announce(AnnouncementMessage(kind: "birthday", key: "b"))
                try connection.announce(AnnouncementMessage.gap)
                try connection.announce(Birthday(of: "c"))
            }
            #expect(await observed.birthdays(3) == ["b", "gap", "c"])
        }
    }

    @Test func `an announcement that cannot be sent fails its transaction`() async throws {
        try await Backend.postgreSQL.with([people]) { database in
            for key in ["a b", "a\nb", String(repeating: "a", count: 129)] {
                _ = await refusal(.unexpectedValue) {
                    try await database.write { connection in
                        try connection.execute("INSERT INTO person (id) VALUES ('a')")
                        try connection.announce(Birthday(of: key))
                    }
                }
            }
            let left = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(left.isEmpty)
        }
    }
}

/// What an observer of one database object receives.
struct Observed {
    private let seen: AsyncStream<Observation<Birthday>>

    init(_ database: any Database) {
        let (stream, continuation) = AsyncStream.makeStream(of: Observation<Birthday>.self)
        seen = stream
        database.observe(Birthday.self) { continuation.yield($0) }
    }

    /// Waits for a gap. From then on, announcements from other nodes arrive.
    func gap() async {
        for await observation in seen where observation.change == nil { return }
    }

    /// Waits for the next observations, and returns the names, or `gap`.
    func birthdays(_ count: Int) async -> [String] {
        var names: [String] = []
        for await observation in seen {
            names.append(observation.change?.of ?? "gap")
            if names.count == count { break }
        }
        return names
    }
}
