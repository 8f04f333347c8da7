// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// Proof that our page recently asked a question in this browser, in this session, and about this request. The server
/// does not store the proof. It consists of a time and of a MAC over the time, the question, the session, the browser's
/// cookie and the request.
struct FormState: Sendable {
    /// The maximum number of seconds between the page and its answer.
    private static let lifetime: Int64 = 600

    private let label: String
    private let input: [UInt8]

    /// - Parameters:
    ///   - request: the query of the authorisation request.
    ///   - word: the value of the browser's cookie.
    init(_ question: AskedPage.Question, session: SessionID, request: String, word: String) {
        label = "page that asked for \(question.rawValue)"
        // Only the last part has a variable length, so different values cannot give the same input.
        input = session.bytes + Array(word.utf8) + Array(request.utf8)
    }

    func text(at now: Timestamp, key: StorageKey) -> String {
        let time = Self.bytes(of: now.seconds)
        return Base64URL.encode(time + key.derived(label, time + input))
    }

    func matches(_ text: String, at now: Timestamp, key: StorageKey) -> Bool {
        guard let bytes = try? Base64URL.decode(text), bytes.count == 40 else { return false }
        let time = Array(bytes[..<8])
        let made = time.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return equalInConstantTime(key.derived(label, time + input), Array(bytes[8...]))
            && made <= now.seconds && now.seconds - made < Self.lifetime
    }

    private static func bytes(of seconds: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - $0 * 8)) }
    }
}
