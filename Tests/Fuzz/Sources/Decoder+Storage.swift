// SPDX-License-Identifier: Apache-2.0
import Storage

extension Decoder {
    /// A notification from another node, or from another program that uses the same database server. What was decoded
    /// can be sent again, and is then decoded as the same announcements.
    func feedAnnouncements(_ bytes: [UInt8]) {
        guard let batch = AnnouncementBatch(text: String(decoding: bytes, as: UTF8.self)) else { return }
        let texts = AnnouncementBatch.texts(of: batch.messages, from: batch.sender)
        let again = texts.compactMap(AnnouncementBatch.init)
        check(texts.count == 1 && again.count == 1, "a text that was received is not sent as one text")
        check(again.allSatisfy { $0.sender == batch.sender }, "the sender changes")
        check(Set(again.flatMap(\.messages)) == Set(batch.messages), "announcements change when sent")
    }
}
