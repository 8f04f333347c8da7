// SPDX-License-Identifier: Apache-2.0

/// The announcements of one transaction as other nodes receive them: lines of text. The first line contains the
/// format's version and the sender; every other line contains the kind and the key of one announcement.
package struct AnnouncementBatch: Sendable, Equatable {
    /// The database object that sent the batch: 16 hexadecimal digits.
    package let sender: String
    package let messages: [AnnouncementMessage]

    package init(sender: String, messages: [AnnouncementMessage]) {
        (self.sender, self.messages) = (sender, messages)
    }

    /// The maximum length of a text in bytes. PostgreSQL accepts less than 8,000.
    package static let maximumLength = 7_900
    /// The maximum number of texts that one transaction sends.
    package static let maximumTexts = 50
    private static let version = "1"

    /// Returns the texts that announce each of `messages` once. If this would take more than ``maximumTexts`` texts,
    /// returns one text that announces a gap, after which every observer checks everything.
    package static func texts(of messages: [AnnouncementMessage], from sender: String) -> [String] {
        let head = "\(version) \(sender)"
        var (texts, known) = ([head], Set<AnnouncementMessage>())
        for message in messages where known.insert(message).inserted {
            let line = "\n\(message.kind) \(message.key)"
            if texts[texts.count - 1].utf8.count + line.utf8.count > maximumLength {
                guard texts.count < maximumTexts else { return self.texts(of: [.gap], from: sender) }
                texts.append(head)
            }
            texts[texts.count - 1] += line
        }
        return texts
    }

    /// Decodes a text; returns nil if it is malformed or has an unknown version.
    package init?(text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).makeIterator()
        guard let head = lines.next()?.split(separator: " ", omittingEmptySubsequences: false), head.count == 2,
            head[0] == Self.version, Self.isSender(head[1])
        else { return nil }
        var messages: [AnnouncementMessage] = []
        while let line = lines.next() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2 else { return nil }
            let message = AnnouncementMessage(kind: String(words[0]), key: String(words[1]))
            guard message.isSendable else { return nil }
            messages.append(message)
        }
        self.init(sender: String(head[1]), messages: messages)
    }

    private static func isSender(_ text: Substring) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
