// SPDX-License-Identifier: Apache-2.0

/// An authority of Microsoft Entra's kind: a host and a tenant.
#if canImport(ObjectiveC)
    @objc(MSALAADAuthority) @objcMembers
#endif
open class MSALAADAuthority: MSALAuthority, @unchecked Sendable {
    /// What apps get that name no authority.
    static let common: MSALAADAuthority = {
        guard let url = URL(string: "https://login.microsoftonline.com/common") else {
            preconditionFailure("The literal is a URL.")
        }
        return MSALAADAuthority(normalized: url)
    }()

    /// Takes `https://<host>/<tenant>`; anything after the tenant is left out.
    ///
    /// - Throws: an `NSError` -50000/-42000 that says what is wrong with `url` (AUT-1).
    #if canImport(ObjectiveC)
        @objc(initWithURL:error:)
    #endif
    public convenience init(url: URL) throws { try self.init(url: url, rawTenant: nil) }

    /// Takes `https://<host>/<tenant>`, with `rawTenant` in the place of the tenant where one is given.
    ///
    /// - Throws: an `NSError` -50000/-42000 that says what is wrong with `url` or `rawTenant` (AUT-1).
    #if canImport(ObjectiveC)
        @objc(initWithURL:rawTenant:error:)
    #endif
    public init(url: URL, rawTenant: String?) throws {
        do { super.init(normalized: try AuthorityURL(url, rawTenant: rawTenant).normalized) } catch {
            throw error.error()
        }
    }

    /// Takes a cloud, whose accounts sign in there, and the tenant where that is one organisation's.
    ///
    /// - Throws: an `NSError` -50000/-42000 where `audienceType` and `rawTenant` do not go together (AUT-3).
    public convenience init(
        cloudInstance: MSALAzureCloudInstance, audienceType: MSALAudienceType, rawTenant: String?
    ) throws {
        try self.init(environment: cloudInstance.host, audienceType: audienceType, rawTenant: rawTenant)
    }

    /// Takes a host, whose accounts sign in there, and the tenant where that is one organisation's.
    ///
    /// - Throws: an `NSError` -50000/-42000 where `environment` is no host, or where `audienceType` and `rawTenant` do
    ///   not go together (AUT-3).
    public convenience init(environment: String, audienceType: MSALAudienceType, rawTenant: String?) throws {
        do throws(Fault) {
            let tenant = try Self.tenant(of: audienceType, rawTenant: rawTenant)
            self.init(normalized: try AuthorityURL(host: environment.lowercased(), tenant: tenant).normalized)
        } catch { throw error.error() }
    }

    override init(normalized url: URL) { super.init(normalized: url) }

    private static func tenant(of audience: MSALAudienceType, rawTenant: String?) throws(Fault) -> String {
        switch (audience.tenant, rawTenant) {
        case (let tenant?, nil): return tenant
        case (nil, let rawTenant?): return rawTenant
        case (_?, _?):
            throw Fault(.tenantUnexpected)
        case (nil, nil):
            throw Fault(.tenantMissing)
        }
    }
}
