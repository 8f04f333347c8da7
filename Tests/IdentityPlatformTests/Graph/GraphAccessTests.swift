// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// Calls every route in the table with tokens and people that the route must refuse, and with tokens and people that it
/// must accept.
@Suite struct GraphAccessTests {
    private static let nowhere = "0af3c2b1-0000-4000-8000-00000000dead"

    /// The route's address, with an unused id for each placeholder.
    private func path(_ route: GraphRoute) -> String {
        route.path.replacing("{id}", with: Self.nowhere).replacing("{member}", with: Self.nowhere)
    }

    private func answer(_ caller: GraphCaller, _ route: GraphRoute) async throws -> TestResponse {
        try await caller.send(route.method, path(route), body: route.method == .get ? nil : "{}")
    }

    @Test func `the table contains every route of Graph, and each requires a permission`() {
        let routes = GraphRoute.all.map { "\($0.method) \($0.path)" }
        #expect(routes.count == Set(routes).count)
        #expect(routes.count > 30)
        for route in GraphRoute.all {
            #expect(!route.access.permissions.isEmpty)
            let isOwn = route.path.hasPrefix("/me")
            #expect((route.access.roles == nil) == isOwn, "\(route.method) \(route.path)")
            #expect(route.access.roles?.isEmpty != true)
        }
    }

    @Test func `no route is served without a token`() async throws {
        let fixture = try await TestPlatform()
        for route in GraphRoute.all {
            let answer = try await fixture.client.send(
                route.method, "/v1.0" + path(route), host: "graph.test", body: "{}")
            #expect(answer.status == .unauthorized, "\(route.method) \(route.path)")
        }
    }

    @Test func `a caller with every role is refused without the route's permission`() async throws {
        let fixture = try await TestPlatform()
        var caller = try await GraphCaller(fixture, roles: DirectoryRole.all)
        for route in GraphRoute.all {
            let own = Set(route.access.permissions)
            let refused = try await answer(caller.holding(Set(GraphPermission.allCases).subtracting(own)), route)
            #expect(refused.status == .forbidden, "\(route.method) \(route.path)")
            #expect(try refused.graphCode == "Authorization_RequestDenied")
            for permission in own {
                let admitted = try await answer(caller.holding([permission]), route).status
                #expect(admitted != .forbidden && admitted != .unauthorized, "\(route.method) \(route.path)")
                // A change to the caller's own account may have ended the session.
                if route.path.hasPrefix("/me"), route.method != .get {
                    caller = try await GraphCaller(fixture, roles: DirectoryRole.all)
                }
            }
        }
    }

    @Test func `a caller with every permission is refused without one of the route's roles`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture)
        func statuses() async throws -> [HTTPResponse.Status] {
            var statuses: [HTTPResponse.Status] = []
            for route in GraphRoute.all where route.method == .get || route.access.roles != nil {
                statuses.append(try await answer(caller, route).status)
            }
            return statuses
        }
        let routes = GraphRoute.all.filter { $0.method == .get || $0.access.roles != nil }
        for (route, status) in zip(routes, try await statuses()) {
            #expect((status == .forbidden) == (route.access.roles != nil), "\(route.method) \(route.path)")
        }
        for role in DirectoryRole.all {
            try await fixture.administration.users.assign(role, to: fixture.bo)
            for (route, status) in zip(routes, try await statuses()) {
                let isAllowed = route.access.roles?.contains(role) ?? true
                #expect((status == .forbidden) != isAllowed, "\(role.displayName): \(route.method) \(route.path)")
            }
            try await fixture.administration.users.unassign(role, from: fixture.bo)
        }
    }

    @Test func `a role that was removed no longer counts in the next call`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        #expect(try await caller.get("/users").status == .ok)
        try await fixture.administration.users.unassign(.userAdministrator, from: fixture.bo)
        #expect(try await caller.get("/users").status == .forbidden)
    }
}
