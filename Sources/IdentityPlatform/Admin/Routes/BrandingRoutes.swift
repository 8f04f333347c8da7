// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import FoundationEssentials
internal import Hummingbird
internal import Storage
internal import WebPages

/// The administration routes for the look of an organisation's pages.
struct BrandingRoutes: Sendable {
    let database: any Database
    let tenants: TenantAdministration

    /// The maximum size of a request body, in bytes. This is enough for a logo in Base64 and 4 KiB of other fields.
    private static let maximumBody = PageImage.maximumBytes / 3 * 4 + 4096

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.getBranding) { call in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                let brandings = Brandings(connection)
                let (branding, logo) = (try brandings.find(tenant.id), try brandings.logo(of: tenant.id))
                return IdentityAdmin.Branding(
                    colour: branding?.colour, logo: logo.map { Data($0.bytes).base64EncodedString() })
            }
        }
        router.on(IdentityAdmin.setBranding, limit: Self.maximumBody) { call, body in
            let wanted = try await body.decoded()
            if let colour = wanted.colour, !AccentColour.isReadable(colour) { throw AdminRefusal.badColour }
            let logo = try wanted.logo.map { text throws(AdminRefusal) in
                guard let data = Data(base64Encoded: text), let logo = PageImage(bytes: Array(data)) else {
                    throw .badLogo
                }
                return logo
            }
            try await tenants.setBranding(colour: wanted.colour, logo: logo, tenant: try await call.tenant())
        }
    }
}
