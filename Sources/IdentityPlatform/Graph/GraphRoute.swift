// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import Hummingbird

/// One Graph route: its path, its requirements and its handler.
package struct GraphRoute: Sendable {
    package let method: HTTPRequest.Method
    /// The path below `/v1.0`, with placeholders.
    package let path: String
    package let access: GraphAccess
    let answer: @Sendable (GraphCall) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, access: GraphAccess,
        answer: @escaping @Sendable (GraphCall) async throws -> Response
    ) {
        (self.method, self.path, self.access, self.answer) = (method, path, access, answer)
    }

    /// All Graph routes.
    package static let all = me + people + groups + devices + roles + policies + auditLogs

    /// Returns the two routes that read a collection: one for the list, and one for a single object by id.
    static func reading<Item>(_ kind: GraphKind<Item>, _ access: GraphAccess) -> [GraphRoute] {
        [
            GraphRoute(.get, "/\(kind.collection)", access: access) { call in
                try await call.list(kind, kind.all(call.tenant))
            },
            GraphRoute(.get, "/\(kind.collection)/{id}", access: access) { call in
                try call.show(kind, try await call.find(kind))
            },
        ]
    }
}

extension GraphRoute {
    /// The routes of the audit log.
    static let auditLogs: [GraphRoute] =
        reading(.directoryAudits, .readAudit) + reading(.signIns, .readAudit)
}

extension GraphRoute {
    /// The routes of `devices`.
    static let devices: [GraphRoute] =
        reading(.devices, .readDevices) + [
            GraphRoute(.patch, "/devices/{id}", access: .changeDevices) { call in
                let body = try await call.body(allowing: "accountEnabled")
                let device = try await call.find(.devices)
                guard let isEnabled = try body.truth("accountEnabled") else { throw GraphError.badBody }
                try await call.directory.administration(call.actor(changing: .devices)).devices.setEnabled(
                    isEnabled, device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
            GraphRoute(.delete, "/devices/{id}", access: .changeDevices) { call in
                let device = try await call.find(.devices)
                try await call.directory.administration(call.actor(changing: .devices)).devices.remove(
                    device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
        ]
}
