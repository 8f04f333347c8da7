// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

extension GraphRoute {
    /// `devices`.
    static let devices: [GraphRoute] =
        reading(.devices, .readDevices) + [
            GraphRoute(.patch, "/devices/{id}", .changeDevices) { call in
                let body = try await call.body(allowing: "accountEnabled")
                let device = try await call.find(.devices)
                guard let isEnabled = try body.truth("accountEnabled") else { throw GraphError.badBody }
                try await Administration(call.platform, as: call.actor(changing: .devices)).setEnabled(
                    isEnabled, device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
            GraphRoute(.delete, "/devices/{id}", .changeDevices) { call in
                let device = try await call.find(.devices)
                try await Administration(call.platform, as: call.actor(changing: .devices)).remove(
                    device.id, tenant: try await call.organisation())
                return Response(status: .noContent)
            },
        ]
}
