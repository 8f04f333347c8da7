// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Storage

extension GraphRoute {
    /// The routes of the organisation's rules for personal devices. These rules do not apply to shared devices: who may
    /// join a shared device depends on roles.
    static let policies: [GraphRoute] = [
        GraphRoute(.get, "/policies/deviceRegistrationPolicy", access: .readDevicePolicy) { call in
            call.show(try await call.deviceRules())
        },
        GraphRoute(.put, "/policies/deviceRegistrationPolicy", access: .changeDevicePolicy) { call in
            let change = try await call.changeOfDeviceRules()
            let rules = try await call.directory.administration(call.actor()).tenants.changeDeviceRegistrationRules(
                of: try await call.organisation(), change)
            return call.show(rules)
        },
    ]
}

extension GraphCall {
    private enum Membership {
        static let all = "#microsoft.graph.allDeviceRegistrationMembership"
        static let none = "#microsoft.graph.noDeviceRegistrationMembership"
        static let selected = "#microsoft.graph.enumeratedDeviceRegistrationMembership"
    }

    fileprivate func deviceRules() async throws -> DeviceRegistrationRules {
        try await directory.database.read { [tenant] in try DeviceRegistrationRules.of(tenant, $0) } ?? .standard
    }

    fileprivate func show(_ rules: DeviceRegistrationRules) -> Response {
        answer(
            "policies/deviceRegistrationPolicy/$entity",
            [
                "id": .string("deviceRegistrationPolicy"),
                "userDeviceQuota": .integer(rules.quota ?? directory.configuration.devices.devicesPerPerson),
                "multiFactorAuthConfiguration": .string("notRequired"),
                "azureADRegistration": .object([
                    "isAdminConfigurable": .bool(true), "allowedToRegister": shown(rules.register),
                ]),
                "azureADJoin": .object(["isAdminConfigurable": .bool(true), "allowedToJoin": shown(rules.join)]),
            ])
    }

    private func shown(_ membership: DeviceRegistrationRules.Membership) -> JSONValue {
        let type = GraphName.type.rawValue
        switch membership {
        case .all: return .object([type: .string(Membership.all)])
        case .nobody: return .object([type: .string(Membership.none)])
        case .selected(let people):
            let users = people.map(\.rawValue).sorted().map(JSONValue.string)
            return .object([type: .string(Membership.selected), "users": .array(users), "groups": .array([])])
        }
    }

    /// Returns the change of the stored rules that the body requests.
    fileprivate func changeOfDeviceRules() async throws -> @Sendable (inout DeviceRegistrationRules) -> Void {
        let body = try await body(
            allowing: "id", "userDeviceQuota", "multiFactorAuthConfiguration", "azureADRegistration", "azureADJoin")
        guard try body.text("multiFactorAuthConfiguration") ?? "notRequired" == "notRequired" else {
            throw GraphError.badPolicy
        }
        let quota = try body.number("userDeviceQuota")
        if let quota, !(0...1_000_000).contains(quota) { throw GraphError.badPolicy }
        let register = try body.object("azureADRegistration", allowing: "isAdminConfigurable", "allowedToRegister")
        let registered = try membership(register, "allowedToRegister")
        let join = try body.object("azureADJoin", allowing: "isAdminConfigurable", "allowedToJoin")
        let joined = try membership(join, "allowedToJoin")
        return { rules in
            if let quota { rules.quota = quota }
            if let registered { rules.register = registered }
            if let joined { rules.join = joined }
        }
    }

    private func membership(
        _ part: GraphBody?, _ name: String
    ) throws(GraphError) -> DeviceRegistrationRules.Membership? {
        guard let sent = try part?.object(name, allowing: "users", "groups") else { return nil }
        guard try sent.isEmptyList("groups") else { throw .badPolicy }
        switch try sent.text(GraphName.type.rawValue) {
        case Membership.all: return .all
        case Membership.none: return .nobody
        case Membership.selected:
            var people: Set<UserID> = []
            for text in try sent.texts("users") {
                guard let id = UserID(rawValue: text) else { throw .badPolicy }
                people.insert(id)
            }
            return .selected(people)
        default: throw .badPolicy
        }
    }
}
