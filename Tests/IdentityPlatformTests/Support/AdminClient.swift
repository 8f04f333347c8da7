// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import TestSupport
import Testing

/// An administrator who makes calls on the administration socket.
struct AdminClient {
    private let client: TestClient<RouterResponder<IdentityContext>>

    /// - Parameter managedDevices: the devices that device management knows.
    init(_ fixture: TestPlatform, managedDevices: DeviceNeighbour? = nil, log: LogLines? = nil) {
        let router = Router(context: IdentityContext.self)
        AdminRoutes(fixture.platform, managedDevices: managedDevices).addRoutes(to: router)
        client = TestClient(router.buildResponder(), log: log)
    }

    func send<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:],
        query: [(String, String)] = [], body: (some Encodable)? = String?.none
    ) async throws -> TestResponse {
        let text = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let operation = endpoint.operation
        let path = operation.path(places.merging(["tenant": "-"]) { place, _ in place }, query: query)
        return try await client.send(operation.httpMethod, path, body: text)
    }

    func call<Body, Answer: Decodable>(
        _ endpoint: Endpoint<Body, Answer>, _ places: [String: String] = [:], body: (some Encodable)? = String?.none
    ) async throws -> Answer {
        let response = try await send(endpoint, places, body: body)
        #expect(response.status.kind == .successful, "\(response.text)")
        return try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }

    /// Makes a call that must be refused, and returns the code of the refusal.
    func refusal<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:],
        query: [(String, String)] = [], body: (some Encodable)? = String?.none
    ) async throws -> String {
        try await reason(endpoint, places, query: query, body: body).code
    }

    /// Makes a call that must be refused, and returns the refusal.
    func reason<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:],
        query: [(String, String)] = [], body: (some Encodable)? = String?.none
    ) async throws -> AdminFailure.Reason {
        let response = try await send(endpoint, places, query: query, body: body)
        #expect(response.status.kind == .clientError, "\(response.text)")
        return try JSONDecoder().decode(AdminFailure.self, from: Data(response.body)).error
    }

    /// Returns the objects of an export, which must be complete.
    func export(
        _ endpoint: Endpoint<Empty, Export>, _ places: [String: String] = [:], query: [(String, String)] = []
    ) async throws -> [[String: JSONValue]] {
        let response = try await send(endpoint, places, query: query)
        #expect(response.status == .ok, "\(response.text)")
        let lines = try response.text.split(separator: "\n").map { line in
            try #require(try JSONReader.read(Array(line.utf8), limits: JSONLimits(bytes: 1 << 20)).object)
        }
        #expect(lines.last == ["end": .integer(lines.count - 1)])
        return lines.dropLast()
    }
}

extension AdminOperation {
    /// The method for a request of the test's client.
    var httpMethod: HTTPRequest.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}
