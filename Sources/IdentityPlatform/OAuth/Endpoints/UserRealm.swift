// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// `/common/userrealm/{user}`: returns whether people whose user names have this domain sign in at this platform. Only
/// the domain is used, so the response does not reveal whether a person exists.
struct UserRealm: Sendable {
    let database: any Database
    let names: IdentityConfiguration.Names

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/userrealm/{user}") { _, context in
            // The at sign may arrive plain or encoded. A domain contains no other encoded character.
            let user = try context.parameters.require("user").replacing("%40", with: "@")
            guard user.utf8.count <= 256, let domain = user.split(separator: "@").last?.lowercased() else {
                throw OAuthError.malformedForm
            }
            let isOurs = try await database.read { try Tenants($0).find(domain: domain) } != nil
            var realm = MembersWriter()
            realm.set(Name.version, "1.0")
            realm.set(Name.accountType, isOurs ? "Managed" : "Unknown")
            if isOurs { realm.set(Name.domain, domain) }
            realm.set(Name.cloudName, names.login)
            realm.set(Name.cloudAudience, "urn:federation:MicrosoftOnline")
            return Response(json: realm)
        }
    }

    private enum Name: String, WireName {
        case accountType = "account_type"
        case cloudAudience = "cloud_audience_urn"
        case cloudName = "cloud_instance_name"
        case domain = "domain_name"
        case version = "ver"
    }
}
