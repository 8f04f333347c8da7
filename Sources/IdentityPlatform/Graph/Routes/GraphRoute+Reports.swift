// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Storage

extension GraphRoute {
    /// The audit log.
    static let auditLogs: [GraphRoute] =
        reading(.directoryAudits, .readAudit) + reading(.signIns, .readAudit)

    /// What the organisation decided about devices.
    static let policies: [GraphRoute] = [
        GraphRoute(.get, "/policies/deviceRegistrationPolicy", .readDevicePolicy) { call in
            let tenant = call.tenant
            let rules = try await call.platform.database.read {
                try DeviceRegistrationRules.of(tenant, $0) ?? .standard
            }
            return call.answer(
                "policies/deviceRegistrationPolicy/$entity",
                [
                    "id": .string("deviceRegistrationPolicy"),
                    "userDeviceQuota": .integer(
                        rules.quota ?? call.platform.configuration.devices.devicesPerPerson),
                    "multiFactorAuthConfiguration": .string("notRequired"),
                    "azureADRegistration": .object([
                        "isAdminConfigurable": .bool(false), "allowedToRegister": rules.register.graph,
                    ]),
                    "azureADJoin": .object([
                        "isAdminConfigurable": .bool(false), "allowedToJoin": rules.join.graph,
                    ]),
                ])
        }
    ]
}

extension DeviceRegistrationRules.Membership {
    /// Who may, as Graph writes it.
    fileprivate var graph: JSONValue {
        func type(_ kind: String) -> (String, JSONValue) {
            (GraphName.type.rawValue, .string("#microsoft.graph.\(kind)DeviceRegistrationMembership"))
        }
        switch self {
        case .all: return .object(Dictionary(uniqueKeysWithValues: [type("all")]))
        case .nobody: return .object(Dictionary(uniqueKeysWithValues: [type("no")]))
        case .selected(let people):
            let users = people.map(\.rawValue).sorted().map(JSONValue.string)
            return .object(
                Dictionary(uniqueKeysWithValues: [type("enumerated"), ("users", .array(users)), ("groups", .array([]))])
            )
        }
    }
}
