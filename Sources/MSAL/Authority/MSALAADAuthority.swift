// SPDX-License-Identifier: Apache-2.0

/// A Microsoft Entra authority: a host and a tenant.
#if canImport(ObjectiveC)
    @objc(MSALAADAuthority) @objcMembers
#endif
open class MSALAADAuthority: MSALAuthority, @unchecked Sendable {
    /// The default authority, for apps that name none.
    static let common: MSALAADAuthority = {
        guard let url = URL(string: "https://login.microsoftonline.com/common") else {
            preconditionFailure("The literal is a URL.")
        }
        return MSALAADAuthority(normalized: url)
    }()

    /// Makes the authority of `https://<host>/<tenant>`; ignores everything after the tenant.
    ///
    /// - Throws: an `NSError` -50000/-42000 that states what is wrong with `url` (AUT-1).
    #if canImport(ObjectiveC)
        @objc(initWithURL:error:)
    #endif
    public convenience init(url: URL) throws { try self.init(url: url, rawTenant: nil) }

    /// Makes the authority of `https://<host>/<tenant>`. If `rawTenant` is given, it replaces the tenant.
    ///
    /// - Throws: an `NSError` -50000/-42000 that states what is wrong with `url` or `rawTenant` (AUT-1).
    #if canImport(ObjectiveC)
        @objc(initWithURL:rawTenant:error:)
    #endif
    public init(url: URL, rawTenant: String?) throws {
        do { super.init(normalized: try AuthorityURL(url, rawTenant: rawTenant).normalized) } catch {
            throw error.error()
        }
    }

    /// Makes the authority of a cloud for an audience; `rawTenant` names the tenant if the audience is one
    /// organisation.
    ///
    /// - Throws: an `NSError` -50000/-42000 if `audienceType` and `rawTenant` contradict each other (AUT-3).
    public convenience init(
        cloudInstance: MSALAzureCloudInstance, audienceType: MSALAudienceType, rawTenant: String?
    ) throws {
        try self.init(environment: cloudInstance.host, audienceType: audienceType, rawTenant: rawTenant)
    }

    /// Makes the authority of a host for an audience; `rawTenant` names the tenant if the audience is one organisation.
    ///
    /// - Throws: an `NSError` -50000/-42000 if `environment` is not a host, or if `audienceType` and `rawTenant`
    ///   contradict each other (AUT-3).
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
