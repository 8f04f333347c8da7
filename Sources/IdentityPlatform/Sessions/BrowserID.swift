// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Hummingbird

/// Identifies one browser for as long as it runs: the hash of the random value in its form cookie. Every sign-in page
/// sets this cookie, and no other site can set or read it.
struct BrowserID: Sendable, Hashable {
    let hash: [UInt8]

    init(hash: [UInt8]) { self.hash = hash }

    /// - Parameter word: the cookie's value.
    init(word: String) { hash = Array(SHA256.hash(data: Array(word.utf8))) }

    /// Reads the identifier from a request; returns nil if the request has no such cookie.
    init?(_ request: Request) {
        guard let word = HostCookie.csrf.word(in: request) else { return nil }
        self.init(word: word)
    }
}
