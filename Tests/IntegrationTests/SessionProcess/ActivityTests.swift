// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import DeviceSettings
import SessionIPC
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ActivityTests {
    private static let notes = RegisteredApp(
        bundleID: "org.example.notes", clientID: "notes", redirectURI: "app://notes")
    private static let blocked = RegisteredApp(
        bundleID: "org.example.blocked", clientID: "blocked", redirectURI: "app://blocked")

    /// A request with which an app asks for a sign-in or for a token.
    struct Ask: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var operation = BrokerProtocol.Operation.login
        var client = "notes"
        var isSilent = "false"
        var isAboutEndedEpoch = false

        var frame: String {
            #"{"sso_request_id":"1","sso_request_operation":"\#(operation.rawValue)","is_silent":\#(isSilent),"#
                + #""sso_request_param":{"client_id":"\#(client)","redirect_uri":"app://\#(client)","scope":"openid"}}"#
        }
    }

    @Test(arguments: [
        (Ask(testDescription: "of an unknown client id", client: "unknown"), true),
        (Ask(testDescription: "of an app that the profile's lists block", client: "blocked"), true),
        (Ask(testDescription: "that does not say whether a page may open", isSilent: "7"), false),
        (Ask(testDescription: "on the connection of an ended epoch", isAboutEndedEpoch: true), false),
        (Ask(testDescription: "without a page", isSilent: "true"), false),
        (Ask(testDescription: "for a token", operation: .refresh, isSilent: "true"), false),
    ]) func `a refused request for a sign-in with a page counts as activity`(_ ask: Ask, _ counts: Bool) async throws {
        try await Scratch.with { scratch in
            var random = SystemRandomNumberGenerator()
            let (epoch, ended) = (Epoch(random: &random, counter: 2), Epoch(random: &random, counter: 1))
            var rules = AppPermissions()
            rules.blocked = [Self.blocked.bundleID]
            let process = try SupervisedProcess(
                epoch: epoch, apps: [Self.notes, Self.blocked], rules: rules, in: scratch)
            let app = try process.app()
            try await app.greet(endedEpoch: ask.isAboutEndedEpoch ? ended : nil)
            try app.send(frame: ask.frame)
            guard case .message(.reply(let reply)) = try await app.answer(), case .failure = reply.outcome else {
                throw TestProblem("the request was not refused")
            }
            #expect(try await process.messages().contains(.activity(epoch: epoch)) == counts)
        }
    }
}
