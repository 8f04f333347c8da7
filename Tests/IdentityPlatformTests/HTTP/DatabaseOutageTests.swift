// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import IdentityPlatform

/// What the platform's listener answers during an outage of its database.
@Suite struct DatabaseOutageTests {
    private static let temporary: [StorageError.Code] = [.busy, .unavailable, .unknownOutcome, .full]

    /// A signed-in person, and a token that registers a device.
    private struct Tokens {
        let signedIn: Members
        let registration: String

        init(_ platform: TestPlatform) async throws {
            signedIn = try await platform.signedIn()
            registration = try await platform.registrationToken("amara@contoso.test")
        }
    }

    /// The answers of each protocol to a request that needs the database.
    private struct Answers {
        let token, graph, registration, page: TestResponse

        init(_ platform: TestPlatform, _ tokens: Tokens) async throws {
            token = try await platform.refresh(try tokens.signedIn.string(ReplyName.refreshToken))
            graph = try await platform.me(try tokens.signedIn.string(ReplyName.accessToken))
            registration = try await TestDevice(platform).join(tokens.registration)
            page = try await platform.client.get(AuthorizeQuery(platform).path, headers: [.accept: "text/html,*/*"])
        }

        var all: [TestResponse] { [token, graph, registration, page] }
    }

    @Test(arguments: temporary)
    func `while the database cannot serve, each protocol asks the client to try again later`(
        code: StorageError.Code
    ) async throws {
        let outage = Outage()
        let platform = try await TestPlatform(over: { outage.wrap($0) })
        let tokens = try await Tokens(platform)
        outage.begin(code)
        let answers = try await Answers(platform, tokens)
        for answer in answers.all {
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "5", "\(answer.text)")
        }
        #expect(try answers.token.json.string(ReplyName.error) == "temporarily_unavailable")
        #expect(answers.graph.text.contains(#""code":"Service_Unavailable""#))
        #expect(answers.registration.registrationCode == "temporarily_unavailable")
        #expect(answers.page.text.contains("Try again shortly") && answers.page.text.contains("AADSTS90033"))

        // The requests during the outage did not use up any token.
        outage.end()
        let after = try await Answers(platform, tokens)
        #expect(after.token.status == .ok && after.graph.status == .ok && after.page.status == .ok)
        #expect(after.registration.status == .forbidden)
    }

    @Test(arguments: StorageError.Code.allCases.filter { !temporary.contains($0) })
    func `an error that does not pass is the server's fault`(code: StorageError.Code) async throws {
        let outage = Outage()
        let platform = try await TestPlatform(over: { outage.wrap($0) })
        let tokens = try await Tokens(platform)
        outage.begin(code)
        for answer in try await Answers(platform, tokens).all {
            #expect(answer.status == .internalServerError && answer.headers[.retryAfter] == nil, "\(answer.text)")
        }
    }
}
