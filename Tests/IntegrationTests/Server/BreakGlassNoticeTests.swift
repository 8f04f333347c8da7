// SPDX-License-Identifier: Apache-2.0
import AdminServer
import HTTPTypes
import Hummingbird
import IdentityPlatform
import Storage
import Synchronization
import TestSupport
import Testing

@testable import baton_server

/// What an answer on the administration socket says about break-glass access, above all if the database fails.
@Suite struct BreakGlassNoticeTests {
    private static let end = Timestamp(rawValue: 1_800_000_000_000)
    private static let outage = Result<Timestamp?, StorageError>.failure(StorageError(.unavailable, "no connection"))

    /// Sends a request that changes something.
    ///
    /// - Parameter found: the database's answers before and after the change.
    private func send(
        _ found: [Result<Timestamp?, StorageError>]
    ) async throws -> (response: TestResponse, changes: Int, until: String?) {
        let answers = Mutex(found[...])
        let changes = Mutex(0)
        let router = Router(context: AdminContext.self)
        router.add(middleware: OutageResponse())
        router.add(
            middleware: BreakGlassNotice { _ in
                let next = answers.withLock { $0.popFirst() }
                return try #require(next).get()
            })
        router.post("/change") { _, _ in
            changes.withLock { $0 += 1 }
            return Response(status: .created)
        }
        let response = try await TestClient(router.buildResponder()).send(.post, "/change")
        let name = try #require(HTTPField.Name(Platform.breakGlassHeader))
        return (response, changes.withLock { $0 }, response.headers[name])
    }

    @Test func `a change is answered even if the database fails after it, with what was known before`() async throws {
        let active = try await send([.success(Self.end), Self.outage])
        #expect(active.response.status == .created && active.changes == 1)
        #expect(active.until == "\(Self.end.rawValue)")
        let none = try await send([.success(nil), Self.outage])
        #expect(none.response.status == .created && none.changes == 1 && none.until == nil)
    }

    @Test func `nothing is changed if the database fails before`() async throws {
        let refused = try await send([Self.outage])
        #expect(refused.response.status == .serviceUnavailable && refused.changes == 0)
    }

    @Test func `an answer says what is in force after the change`() async throws {
        #expect(try await send([.success(nil), .success(Self.end)]).until == "\(Self.end.rawValue)")
        #expect(try await send([.success(Self.end), .success(nil)]).until == nil)
    }
}
