// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import Foundation
import OAuth
import TestSupport

/// The identity platform's answers to one person's sign-in, kept by Tests/Proxies/lying_proxy.py, and the session key
/// that encrypts them.
struct KeptAnswers {
    private let live: LiveEnvironment
    private let name: String
    private let key: SessionKey

    init(_ live: LiveEnvironment, _ name: String) throws {
        (self.live, self.name) = (live, name)
        let transport = try _RSA.Encryption.PrivateKey(
            pemRepresentation: textOfFile(live.path("device/keys/transport.pem")))
        let issue = [UInt8](try Data(contentsOf: URL(filePath: live.path("\(name)-issue"))))
        key = try PrimaryRefreshToken.IssueReply(decoding: issue).sessionKey(transportKey: transport)
    }

    /// An answer as it was sent: `code`, `issue`, `token`, or another name under which an answer was kept.
    func bytes(_ answer: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: live.path("\(name)-\(answer)"))))
    }

    /// The content of an encrypted answer.
    func opened(_ answer: String) throws -> [UInt8] {
        try EncryptedReply.open(String(decoding: bytes(answer), as: UTF8.self), with: key)
    }

    /// Encrypts content as the server does for this session.
    func sealed(_ content: [UInt8]) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return Array(try EncryptedReply.seal(content, with: key, using: &random).utf8)
    }

    /// The reply with this worker's PRT, but with the id of another session.
    var issueOfAnotherSession: [UInt8] {
        get throws {
            var reply = try Self.members(bytes("issue"))
            guard var parts = (reply["id_token"] as? String)?.split(separator: ".", omittingEmptySubsequences: false),
                parts.count == 3
            else { throw TestProblem("no id token") }
            var claims = try Self.members(Base64URL.decode(parts[1]))
            claims["sid"] = "00000000-0000-4000-8000-000000000000"
            parts[1] = Base64URL.encode(try JSONSerialization.data(withJSONObject: claims))[...]
            reply["id_token"] = parts.joined(separator: ".")
            return [UInt8](try JSONSerialization.data(withJSONObject: reply))
        }
    }

    /// The reply with this worker's PRT, but without an epoch.
    var issueWithoutEpoch: [UInt8] {
        get throws {
            let reply = try Self.members(bytes("issue")).filter { !$0.key.hasPrefix("epoch_") }
            return [UInt8](try JSONSerialization.data(withJSONObject: reply))
        }
    }

    private static func members(_ bytes: [UInt8]) throws -> [String: Any] {
        guard let members = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw TestProblem("no JSON object")
        }
        return members
    }
}
