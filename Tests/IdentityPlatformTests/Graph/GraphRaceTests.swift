// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// Tests changes that are made after a caller was checked and before the requested act is carried out. The transaction
/// of the act checks the caller again.
@Suite struct GraphRaceTests {
    @Test(
        arguments: [
            ("DELETE FROM roleMember", .forbidden), ("UPDATE session SET ended = begun", .unauthorized),
        ] as [(SQL, HTTPResponse.Status)])
    func `a role or session that is lost before the requested act no longer counts`(
        change: SQL, status: HTTPResponse.Status
    ) async throws {
        let meanwhile = Meanwhile()
        let fixture = try await TestPlatform(over: { Interposed(database: $0, meanwhile: meanwhile) })
        let caller = try await GraphCaller(fixture, .globalAdministrator)
        let path = "/users/\(fixture.amara.id)"
        let body = #"{"displayName":"Renamed"}"#
        #expect(try await caller.send(.patch, path, body: body).status == .noContent)
        meanwhile.change.withLock { $0 = change }
        #expect(try await caller.send(.patch, path, body: #"{"displayName":"Never"}"#).status == status)
        #expect(meanwhile.change.withLock { $0.map { _ in true } } == nil)
        let name = try await fixture.platform.database.read {
            try Users($0).find(fixture.amara.id, tenant: fixture.tenant.id)?.profile.displayName
        }
        #expect(name == "Renamed")
    }
}

/// A change that someone else commits before the next write begins.
private final class Meanwhile: Sendable {
    let change = Mutex<SQL?>(nil)
}

private struct Interposed: DatabaseLayer {
    let database: any Database
    let meanwhile: Meanwhile

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        let change = meanwhile.change.withLock { change in
            defer { change = nil }
            return change
        }
        if let change { try await database.write { try $0.execute(change) } }
        return try await database.write(body)
    }

    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { database.observe(observer) }
}
