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
    let search: ManagedDeviceSearch

    func add(to router: MDMAdminRouter) {
        router.on(list: MDMAdmin.listProfiles) { call, page in
            let entries = try await database.read { try Profiles(connection: $0, tenant: call.tenant).all(on: page) }
            return Page(entries, of: page, key: \.identifier) { Self.description(of: $0) }
        }
        router.on(MDMAdmin.addProfile, limit: MDMAdminCall.maximumBody) { call, body in
            try await add(try body.decoded(), call)
        }
        router.on(MDMAdmin.removeProfile) { call in
            let name = try call.name("profile")
            try await call.act(on: database, at: sources.now()) { connection in
                guard let identifier = try NamedItems(connection).profile(name, tenant: call.tenant),
                    try Profiles(connection: connection, tenant: call.tenant).remove(identifier)
                else { throw Self.missing(name) }
                try log.record(.profileRemoved, identifier, of: call, in: connection)
            }
        }
        router.on(MDMAdmin.installProfile) { call in
            let device = try await search.device(try call.name("device"), tenant: call.tenant)
            let profile = try await checked(try call.name("profile"), for: device, tenant: call.tenant)
            return try await commands.enqueue(
                .installProfile(profile.body), about: profile.identifier, for: device.udid, call)
        }
        router.on(MDMAdmin.uninstallProfile) { call in
            let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
            let name = try call.name("profile")
            let identifier = try await database.read {
                try NamedItems($0).profile(name, on: udid, tenant: call.tenant)
            }
            return try await commands.enqueue(
                .removeProfile(identifier: identifier), about: identifier, for: udid, call)
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
        guard profile.displayName.map({ ShownText.isPlain($0) && ($0.isEmpty || ShownText.isVisible($0)) }) ?? true
        else {
            throw MDMAdminRefusal(.badProfile, detail: "Its display name has a control or invisible character.")
        }
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
            guard (1...1000).contains(urls.count) else {
                throw MDMAdminRefusal(
                    .badProfile,
                    detail: "It names no sign-in address of the organisation, or more than a thousand.")
            }
            guard let namespace = UUID(uuidString: tenant.rawValue) else { throw MDMAdminRefusal(.malformedTenant) }
            let organization = try await database.read { try $0.record(Organization.self, "WHERE id = \(tenant)") }
            guard let organization else { throw MDMAdminRefusal(.noTenant) }
            do throws(PropertyListError) {
                return try Profile.sharedDeviceSSO(
                    tenant: namespace, organization: organization.name, additionalURLs: urls
                ).xml()
            } catch {
                throw MDMAdminRefusal(
                    .badProfile, detail: "A URL, or the organisation's name, has a character that no profile can have.")
            }
        }
    }

    /// Returns the profile that this name means, after checking it again together with the other profiles on the
    /// device.
    private func checked(
        _ name: ObjectName, for device: DeviceRecord, tenant: TenantID
    ) async throws -> Profiles.Entry {
        let (entry, others) = try await database.read { connection in
            let profiles = Profiles(connection: connection, tenant: tenant)
            guard let identifier = try NamedItems(connection).profile(name, tenant: tenant),
                let entry = try profiles.find(identifier)
            else { throw Self.missing(name) }
            let held = try Inventory(connection: connection, tenant: tenant, udid: device.udid).profiles()
            let others = try held.filter { $0.identifier != identifier }.compactMap {
                try profiles.find($0.identifier)?.body
            }
            return (entry, others)
        }
        let findings = ProfileLinter(
            delivery: .push, audience: device.isApples ? .anyDevice : .batonDevices,
            beside: try others.map { try Profile(xml: $0) }
        ).findings(inXML: entry.body)
        guard !findings.contains(where: { $0.severity == .error }) else {
            throw MDMAdminRefusal(.badProfile, findings: findings)
        }
        return entry
    }

    private static func missing(_ name: ObjectName) -> MDMAdminRefusal {
        MDMAdminRefusal(.noProfile, "There is no profile \(name.text) in the tenant.")
    }

    private static func description(of entry: Profiles.Entry) -> MDMAdmin.Profile {
        MDMAdmin.Profile(
            identifier: entry.identifier, uuid: entry.uuid, displayName: entry.displayName,
            warnings: ProfileLinter(delivery: .push, audience: .anyDevice).findings(inXML: entry.body).map(
                \.description))
    }
}
