// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Hummingbird

/// Names one browser for as long as it runs: the hash of the random value in its cookie for forms, which every sign-in
/// page sets and no other site can set or read.
struct BrowserID: Sendable, Hashable {
    let hash: [UInt8]

    init(hash: [UInt8]) { self.hash = hash }

    /// - Parameter word: what the cookie says.
    init(word: String) { hash = Array(SHA256.hash(data: Array(word.utf8))) }

    /// Nil where the request comes without the cookie.
    init?(_ request: Request) {
        guard let word = HostCookie.csrf.word(in: request) else { return nil }
        self.init(word: word)
    }
}
