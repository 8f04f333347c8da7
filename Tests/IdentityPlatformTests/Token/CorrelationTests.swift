// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// The id that a client gives its request is returned in the answer and written to the log.
@Suite struct CorrelationTests {
    private static let id = "0af3c2b1-0000-4000-8000-00000000c0de"

    @Test func `an error contains the client's id in its body, its header and the log`() async throws {
        let fixture = try await TestPlatform()
        let log = LogLines()
        let client = TestClient(fixture.platform.responder(), host: "login.test:8443", log: log)
        let header = try #require(HTTPField.Name("client-request-id"))
        let answer = try await client.send(
            .post, EndpointPath.token(tenant: "common"), headers: [header: Self.id], body: "grant_type=dance")
        #expect(try answer.json.string(ReplyName.correlationID) == Self.id)
        #expect(answer.headers[header] == Self.id)
        #expect(log.lines.contains { $0.hasPrefix("info refused") && $0.contains("request.id=\(Self.id)") })
    }

    @Test func `a browser sends the id in the address`() async throws {
        let fixture = try await TestPlatform()
        let log = LogLines()
        let client = TestClient(fixture.platform.responder(), host: "login.test:8443", log: log)
        let page = try await client.get(AuthorizeQuery(fixture, ["client-request-id": Self.id]).path)
        #expect(page.status == .ok)
        #expect(log.lines.contains { $0.contains("request.id=\(Self.id)") })
    }

    @Test(arguments: ["", "x", "amara@contoso.test", "0af3c2b1-0000-4000-8000-00000000c0de\nforged"])
    func `a malformed id is replaced and not logged`(text: String) async throws {
        let fixture = try await TestPlatform()
        let log = LogLines()
        let client = TestClient(fixture.platform.responder(), host: "login.test:8443", log: log)
        for id in [text, Self.id] {
            _ = try await client.get(AuthorizeQuery(fixture, ["client-request-id": id]).path)
        }
        // The valid id is written to the same log.
        let ids = log.lines.flatMap { $0.matches(of: /request\.id=(\S+)/).map { String($0.1) } }
        #expect(ids.contains(Self.id) && Set(ids).count == 2)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil })
        #expect(!log.lines.contains { $0.contains("forged") })
    }

    @Test func `every answer has the server's own id, which errors and the log repeat`() async throws {
        let fixture = try await TestPlatform()
        let log = LogLines()
        let client = TestClient(fixture.platform.responder(), host: "login.test:8443", log: log)
        let name = try #require(HTTPField.Name("x-ms-request-id"))
        let sent = try #require(HTTPField.Name("client-request-id"))
        let named = try await client.send(
            .post, EndpointPath.token(tenant: "common"), headers: [sent: Self.id], body: "grant_type=dance")
        let trace = try #require(named.headers[name])
        #expect(try named.json.string(ReplyName.traceID) == trace && trace != Self.id)
        #expect(log.lines.contains { $0.contains("request.id=\(Self.id)") && $0.contains("request.trace=\(trace)") })
        let unnamed = try await client.send(.post, EndpointPath.token(tenant: "common"), body: "grant_type=dance")
        let own = try #require(unnamed.headers[name])
        #expect(try unnamed.json.string(ReplyName.correlationID) == own && own != trace)
        #expect(unnamed.headers[sent] == nil)
        #expect(log.lines.contains { $0.contains("request.id=\(own)") })
        let stranger = TestClient(fixture.platform.responder(), host: "unknown.test:8443", log: log)
        #expect(try await stranger.get("/").headers[name] != nil)
    }
}
