// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import Hummingbird

/// One call that Graph answers: where, for whom, and what it does.
package struct GraphRoute: Sendable {
    package let method: HTTPRequest.Method
    /// Below `/v1.0`, with named places.
    package let path: String
    package let access: GraphAccess
    let answer: @Sendable (GraphCall) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, access: GraphAccess,
        answer: @escaping @Sendable (GraphCall) async throws -> Response
    ) {
        (self.method, self.path, self.access, self.answer) = (method, path, access, answer)
    }

    /// Every route there is.
    package static let all = me + people + groups + devices + roles + policies + auditLogs

    /// The two routes that read a collection: its list, and one object by id.
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
    /// The audit log.
    static let auditLogs: [GraphRoute] =
        reading(.directoryAudits, .readAudit) + reading(.signIns, .readAudit)
}

extension GraphRoute {
    /// `devices`.
    static let devices: [GraphRoute] =
        reading(.devices, .readDevices) + [
            GraphRoute(.patch, "/devices/{id}", access: .changeDevices) { call in
                let body = try await call.body(allowing: "accountEnabled")
                let device = try await call.find(.devices)
                guard let isEnabled = try body.truth("accountEnabled") else { throw GraphError.badBody }
                try await Administration(call.platform, as: call.actor(changing: .devices)).devices.setEnabled(
                    isEnabled, device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
            GraphRoute(.delete, "/devices/{id}", access: .changeDevices) { call in
                let device = try await call.find(.devices)
                try await Administration(call.platform, as: call.actor(changing: .devices)).devices.remove(
                    device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
        ]
}
