// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import JSON

extension GraphRoute {
    /// The audit log.
    static let auditLogs: [GraphRoute] =
        reading(.directoryAudits, .readAudit) + reading(.signIns, .readAudit)

    /// What the organisation decided about devices.
    static let policies: [GraphRoute] = [
        GraphRoute(.get, "/policies/deviceRegistrationPolicy", .readDevicePolicy) { call in
            let everybody = JSONValue.object([
                GraphName.type.rawValue: .string("#microsoft.graph.allDeviceRegistrationMembership")
            ])
            return call.answer(
                "policies/deviceRegistrationPolicy/$entity",
                [
                    "id": .string("deviceRegistrationPolicy"),
                    "userDeviceQuota": .integer(call.platform.configuration.devices.devicesPerPerson),
                    "multiFactorAuthConfiguration": .string("notRequired"),
                    "azureADRegistration": .object([
                        "isAdminConfigurable": .bool(false), "allowedToRegister": everybody,
                    ]),
                    "azureADJoin": .object(["isAdminConfigurable": .bool(false), "allowedToJoin": everybody]),
                ])
        }
    ]
}
