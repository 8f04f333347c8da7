// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import OAuth
import TestSupport
import Testing

extension LiveOffline {
    /// A server whose answers are well-formed, but about another worker, epoch, session or app. They sign nobody in,
    /// give nobody the token of another worker, and do not end the session.
    @Suite struct MixedAnswerTests {
        private typealias Lie = (_ pattern: String, _ lies: [String]) throws -> Void

        /// Requests to the token endpoint, except those for a nonce.
        private static let tokens = "/token (?!.*srv_challenge)"
        private static let nonces = "/token .*srv_challenge"
        /// The device's request for a worker's PRT, and the request for its renewal.
        private static let issue = "/token .*epoch_id"
        private static let renewal = "/token .*previous_refresh_token"

        private static let mixedUp = "is about another worker, epoch, session or app"

        @Test func `a token of another worker, session or app is refused, without a sign-out`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                let app = try live.app(1)
                let bo = try await signIn("Bo", live, lie)
                #expect(try await app.signOut(bo))
                let amara = try await signIn("Amara", live, lie)
                try lie(Self.tokens, ["keep:Amara-other"])
                _ = try await live.app(2).token(of: amara)
                let (hers, his) = (try KeptAnswers(live, "Amara"), try KeptAnswers(live, "Bo"))
                let (unreadable, mixedUp) = ("cannot be used (JOSEFailure)", Self.mixedUp)
                let lies: [(name: String, said: [UInt8], cause: String)] = [
                    ("another session's", try his.bytes("token"), unreadable),
                    ("in clear", try hers.opened("token"), unreadable),
                    ("cut", try hers.bytes("token").dropLast(9), unreadable),
                    ("a renewal's", try hers.sealed(hers.bytes("issue")), mixedUp),
                    ("another worker's", try hers.sealed(his.opened("token")), mixedUp),
                    ("another app's", try hers.bytes("other"), mixedUp),
                ]
                for (number, (name, said, cause)) in lies.enumerated() {
                    try Data(said).write(to: URL(filePath: live.path("said-\(number)")))
                    try lie(Self.tokens, ["say:said-\(number)"])
                    let failure = try await seen { try await app.token(of: amara, refreshed: true) }
                    #expect(failure.code == .internal && failure.text.contains(cause), "\(name): \(failure)")
                    #expect(try await app.accounts().current == amara, "\(name)")
                    #expect(try await app.token(of: amara).account == amara, "\(name)")
                }
                // From here on, the device receives only nonces that the server did not issue.
                try Data(#"{"Nonce":"AwABAAEAAAACAOz_BAD0_8KdPIdY"}"#.utf8).write(
                    to: URL(filePath: live.path("nonce")))
                try lie(Self.nonces, [String](repeating: "say:nonce", count: 100))
                let failure = try await seen { try await app.token(of: amara, refreshed: true) }
                #expect(failure.text.contains("nonce"), "\(failure)")
                #expect(try await app.accounts().current == amara)
                try lie(Self.nonces, [])
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.signOut(amara))
            }
        }

        @Test func `a session for another worker or another epoch is refused`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                let app = try live.app(1)
                for name in ["Bo", "Amara"] {
                    let account = try await signIn(name, live, lie)
                    #expect(try await app.signOut(account))
                }
                // Two PRTs of earlier epochs, and another worker's PRT that names no epoch.
                let said = try KeptAnswers(live, "Bo").issueWithoutEpoch
                try Data(said).write(to: URL(filePath: live.path("Bo-anytime")))
                for name in ["Bo-issue", "Amara-issue", "Bo-anytime"] {
                    try lie(Self.issue, ["say:" + name])
                    try live.seat("Amara")
                    let failure = try await seen { try await app.signIn() }
                    #expect(failure.code == .internal && failure.text.contains(Self.mixedUp), "\(name): \(failure)")
                    try live.leave()
                    try await live.settle()
                    #expect(try await app.accounts().current == nil, "\(name)")
                    #expect(try live.isClean, "\(name)")
                }
                let amara = try await live.signIn("Amara", through: app)
                #expect(try await app.signOut(amara))
            }
        }

        @Test func `a renewal of another worker or session is refused, and the session keeps its own token`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                let app = try live.app(1)
                let bo = try await signIn("Bo", live, lie)
                #expect(try await app.signOut(bo))
                let refusals = "the session is not renewed yet"
                let before = try live.log(of: .broker).components(separatedBy: refusals).count - 1
                try lie(
                    "\(Self.issue)|\(Self.renewal)", ["brief:Amara-issue"] + (0..<4).map { "say:renewal-\($0)" })
                let amara = try await live.signIn("Amara", through: app)
                let epoch = try await live.status().epoch
                let (hers, his) = (try KeptAnswers(live, "Amara"), try KeptAnswers(live, "Bo"))
                let lies = [
                    try his.sealed(hers.bytes("issue")), try hers.bytes("issue"),
                    try hers.sealed(his.bytes("issue")), try hers.sealed(hers.issueOfAnotherSession),
                ]
                for (number, said) in lies.enumerated() {
                    try Data(said).write(to: URL(filePath: live.path("renewal-\(number)")), options: .atomic)
                    try await live.log(of: .broker, says: refusals, times: before + number + 1)
                    // After a restart, the session process renews the PRT at once. It gets the next lie as soon as the
                    // test has written that lie.
                    if number + 1 < lies.count {
                        let session = try live.sessionProcess()
                        session.kill()
                        try await session.waitForEnd()
                    }
                    // The session still uses its former PRT: the server would refuse any other.
                    #expect(try await app.token(of: amara, refreshed: true).account == amara, "\(number)")
                    #expect(try await app.accounts().current == amara, "\(number)")
                }
                let codes = try live.log(of: .broker).split(separator: "\n").filter { $0.contains(refusals) }
                    .suffix(4).map { $0.contains("error.code=-51417") }
                #expect(codes == [false, false, true, true])
                #expect(try await live.status().epoch == epoch)
                #expect(try await app.signOut(amara))
                #expect(try live.isClean)
            }
        }

        /// Signs a person in through app 1, and keeps the server's answers.
        private func signIn(_ givenName: String, _ live: LiveEnvironment, _ lie: Lie) async throws -> MSALAccount {
            try lie(Self.tokens, ["code", "issue", "token"].map { "keep:\(givenName)-\($0)" })
            return try await live.signIn(givenName, through: live.app(1))
        }
    }
}
