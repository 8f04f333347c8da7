// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Foundation
internal import Hummingbird
internal import MDMProtocol
internal import Storage

/// The administration routes for profiles.
struct ProfileRoutes: Sendable {
    let database: any Database
    let sources: MDMSources
    let log: MDMAdminLog
    let commands: CommandRequests

    func add(to router: MDMAdminRouter) {
        router.on(list: MDMAdmin.listProfiles) { call, page in
            let entries = try await database.read { try Profiles(connection: $0, tenant: call.tenant).all(on: page) }
            return Page(entries, of: page, key: \.identifier) { Self.description(of: $0) }
        }
        router.on(MDMAdmin.addProfile, limit: MDMAdminCall.maximumBody) { call, body in
            try await add(try body.decoded(), call)
        }
        router.on(MDMAdmin.removeProfile) { call in
            let identifier = try call.place("profile")
            let removed = try await call.act(on: database, at: sources.now()) { connection in
                guard try Profiles(connection: connection, tenant: call.tenant).remove(identifier) else { return false }
                try log.record(.profileRemoved, identifier, of: call, in: connection)
                return true
            }
            guard removed else { throw Self.missing(identifier) }
        }
        router.on(MDMAdmin.installProfile) { call in
            try await commands.enqueue(
                .installProfile(try await checkedProfile(call)), about: try call.place("profile"), call)
        }
        router.on(MDMAdmin.uninstallProfile) { call in
            let identifier = try call.place("profile")
            return try await commands.enqueue(.removeProfile(identifier: identifier), about: identifier, call)
        }
    }

    private func add(_ new: MDMAdmin.NewProfile, _ call: MDMAdminCall) async throws -> MDMAdmin.Profile {
        let given = try await bytes(of: new, tenant: call.tenant)
        let signed = SignedProfile.isSigned(given) ? try SignedProfile(given) : nil
        let body = signed?.content ?? given
        let findings = ProfileLinter(delivery: .push, audience: .anyDevice).findings(inXML: body)
        guard !findings.contains(where: { $0.severity == .error }) else {
            throw MDMAdminRefusal(.badProfile, findings: findings)
        }
        let profile = try Profile(xml: body)
        let replaces = try call.received.query(.replace, as: Bool.self) ?? false
        let outcome = try await call.act(on: database, at: sources.now()) { connection in
            let profiles = Profiles(connection: connection, tenant: call.tenant)
            let former = try profiles.find(profile.identifier)
            if former?.body == body { return "unchanged" }
            guard former == nil || replaces else {
                throw MDMAdminRefusal(
                    .otherProfile, "There is another profile \(profile.identifier) in the tenant already.")
            }
            try profiles.put(profile, body: body)
            try log.record(.profileAdded, profile.identifier, of: call, in: connection)
            return former == nil ? "added" : "replaced"
        }
        return MDMAdmin.Profile(
            identifier: profile.identifier, uuid: profile.uuid, displayName: profile.displayName,
            warnings: findings.map(\.description) + (signed.map { [$0.note] } ?? []), outcome: outcome)
    }

    private func bytes(of new: MDMAdmin.NewProfile, tenant: TenantID) async throws -> [UInt8] {
        switch new {
        case .file(let text):
            guard let data = Data(base64Encoded: text) else { throw MDMAdminRefusal(.malformed) }
            return Array(data)
        case .sharedDevice(let urls):
            guard let namespace = UUID(uuidString: tenant.rawValue) else { throw MDMAdminRefusal(.malformedTenant) }
            let organization = try await database.read { try $0.record(Organization.self, "WHERE id = \(tenant)") }
            guard let organization else { throw MDMAdminRefusal(.noTenant) }
            return try Profile.sharedDeviceSSO(
                tenant: namespace, organization: organization.name, additionalURLs: urls
            ).xml()
        }
    }

    /// Returns the profile in the path, after checking it again together with the other profiles on the device.
    private func checkedProfile(_ call: MDMAdminCall) async throws -> [UInt8] {
        let identifier = try call.place("profile")
        let (body, others, device) = try await database.read { connection in
            let device = try call.device(in: connection)
            let profiles = Profiles(connection: connection, tenant: call.tenant)
            guard let entry = try profiles.find(identifier) else { throw Self.missing(identifier) }
            let held = try Inventory(connection: connection, tenant: call.tenant, udid: device.udid).profiles()
            let others = try held.filter { $0.identifier != identifier }.compactMap {
                try profiles.find($0.identifier)?.body
            }
            return (entry.body, others, device)
        }
        let findings = ProfileLinter(
            delivery: .push, audience: device.isApples ? .anyDevice : .batonDevices,
            beside: try others.map { try Profile(xml: $0) }
        ).findings(inXML: body)
        guard !findings.contains(where: { $0.severity == .error }) else {
            throw MDMAdminRefusal(.badProfile, findings: findings)
        }
        return body
    }

    private static func missing(_ identifier: String) -> MDMAdminRefusal {
        MDMAdminRefusal(.noProfile, "There is no profile \(identifier) in the tenant.")
    }

    private static func description(of entry: Profiles.Entry) -> MDMAdmin.Profile {
        MDMAdmin.Profile(
            identifier: entry.identifier, uuid: entry.uuid, displayName: entry.displayName,
            warnings: ProfileLinter(delivery: .push, audience: .anyDevice).findings(inXML: entry.body).map(
                \.description))
    }
}
