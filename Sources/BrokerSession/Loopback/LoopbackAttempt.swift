// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
internal import OAuth
internal import Redaction
internal import Synchronization

/// Binds one attempt (to sign in, to join or to set a PIN) to the browser that begins the attempt. The start address
/// works for the first caller only. That caller receives a cookie, and must send it from then on.
///
/// All connections of a server share one attempt.
final class LoopbackAttempt: Sendable {
    /// The path of the start address, without the leading slash.
    let start = ProofKey.verifier()
    private let cookie = ProofKey.verifier()
    private let hasBegun = Mutex(false)

    /// The sender of a request.
    enum Caller: Equatable {
        /// The browser that begins the attempt with this request. The answer must set ``setCookie``.
        case newBrowser
        /// The browser that began the attempt. It may open the start address again.
        case sameBrowser(isStart: Bool)
        /// Another program, or a browser before the attempt has begun.
        case other
    }

    /// Identifies the sender of a request. The first request for the start address begins the attempt.
    ///
    /// - Parameter cookies: the values of the `Cookie` fields (RFC 6265 section 4.2).
    func caller(path: Substring, cookies: [String]) -> Caller {
        let isStart = equalInConstantTime(Array(path.utf8), Array("/\(start)".utf8))
        return hasBegun.withLock { hasBegun in
            if hasBegun { return shows(cookies) ? .sameBrowser(isStart: isStart) : .other }
            guard isStart else { return .other }
            hasBegun = true
            return .newBrowser
        }
    }

    /// The value of the `Set-Cookie` field. The identity platform's answer arrives as a top-level navigation from
    /// another site. Browsers send `Lax` cookies with such a navigation and withhold `Strict` cookies.
    var setCookie: String { "\(Self.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax" }

    private static let cookieName = "baton_attempt"

    private func shows(_ cookies: [String]) -> Bool {
        // A server on another port of this address may have set a cookie of the same name, so it is enough that one of
        // the cookies matches.
        let expected = Array("\(Self.cookieName)=\(cookie)".utf8)
        return cookies.flatMap { $0.split(separator: ";") }.contains { pair in
            equalInConstantTime(Array(pair.drop { $0 == " " }.utf8), expected)
        }
    }
}
