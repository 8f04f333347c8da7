// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import FoundationEssentials
internal import Hummingbird
internal import Storage
internal import WebPages

/// The administration routes for the look of an organisation's pages.
struct BrandingRoutes: Sendable {
    let database: any Database

    /// The maximum size of a request body, in bytes. This is enough for a logo in Base64 and 4 KiB of other fields.
    private static let maximumBody = PageImage.maximumBytes / 3 * 4 + 4096

    func add(to router: AdminRouter) {
        router.on(object: IdentityAdmin.getBranding) { call in
            let tenant = try await call.tenant()
            return try await database.read { try shown(tenant, $0) }
        }
        router.on(IdentityAdmin.setBranding, limit: Self.maximumBody) { call, body in
            let wanted = try body.decoded()
            if let colour = wanted.colour, !AccentColour.isReadable(colour) { throw AdminRefusal.badColour }
            let logo = try wanted.logo.map { text throws(AdminRefusal) in
                guard let data = Data(base64Encoded: text), let logo = PageImage(bytes: Array(data)) else {
                    throw .badLogo
                }
                return logo
            }
            let tenant = try await call.tenant()
            try await call.acts { try shown(tenant, $0) }.tenants.setBranding(
                colour: wanted.colour, logo: logo, tenant: tenant)
        }
    }

    private func shown(_ tenant: Tenant, _ connection: any Connection) throws -> IdentityAdmin.Branding {
        let brandings = Brandings(connection)
        let (branding, logo) = (try brandings.find(tenant.id), try brandings.logo(of: tenant.id))
        return IdentityAdmin.Branding(
            colour: branding?.colour, logo: logo.map { Data($0.bytes).base64EncodedString() })
    }
}
