// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
internal import OAuth
internal import Redaction
internal import Synchronization

/// Ties one attempt to the one browser that begins it: a start address that the first caller uses up, and a cookie that this
/// caller gets and shows from then on.
///
/// All connections of a server share one attempt.
final class LoopbackAttempt: Sendable {
    /// The path of the start address, without the slash.
    let start = ProofKey.verifier()
    private let cookie = ProofKey.verifier()
    private let hasBegun = Mutex(false)

    /// Where a request stands in the attempt.
    enum Standing: Equatable {
        /// It begins the attempt; the answer must set ``setCookie``.
        case begins
        /// It comes from the browser that began, which may also open the start address again.
        case belongs(isStart: Bool)
        /// Another program sent it, or the attempt has not begun.
        case foreign
    }

    /// Says what a request is, and begins the attempt with the first one for the start address.
    ///
    /// - Parameter cookies: the values of the `Cookie` fields (RFC 6265 section 4.2).
    func judge(path: Substring, cookies: [String]) -> Standing {
        let isStart = equalInConstantTime(Array(path.utf8), Array("/\(start)".utf8))
        return hasBegun.withLock { hasBegun in
            if hasBegun { return shows(cookies) ? .belongs(isStart: isStart) : .foreign }
            guard isStart else { return .foreign }
            hasBegun = true
            return .begins
        }
    }

    /// The value of the field that gives the browser its cookie. The answer of the identity platform comes as a top-level
    /// navigation from another site, to which `Lax` cookies go, and `Strict` ones do not.
    var setCookie: String { "\(Self.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax" }

    private static let cookieName = "baton_attempt"

    private func shows(_ cookies: [String]) -> Bool {
        // A server on another port of this address may have set one of the same name: any of them counts.
        let expected = Array("\(Self.cookieName)=\(cookie)".utf8)
        return cookies.flatMap { $0.split(separator: ";") }.contains { pair in
            equalInConstantTime(Array(pair.drop { $0 == " " }.utf8), expected)
        }
    }
}
