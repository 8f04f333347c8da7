// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import CommandLineInterface
import Redaction

/// The demonstration organisation. It is created with the same calls that `baton admin` makes.
struct Organisation: Sendable {
    let admin: AdminClient
    let facts: EnvironmentFacts

    /// Creates the organisation with its people, roles and apps.
    ///
    /// - Returns: the tenant's id.
    func make() async throws -> String {
        let tenant = try await admin.call(
            IdentityAdmin.addTenant(
                body: IdentityAdmin.NewTenant(
                    displayName: EnvironmentFacts.organisation, domain: EnvironmentFacts.domain)))
        for person in facts.people { try await add(person, to: tenant.id) }
        for app in facts.apps { try await add(app, to: tenant.id) }
        return tenant.id
    }

    private func add(_ person: EnvironmentFacts.Person, to tenant: String) async throws {
        var user = IdentityAdmin.NewUser(
            userPrincipalName: person.userName, displayName: person.displayName, password: Sensitive(person.password))
        user.givenName = person.givenName
        user.surname = person.surname
        user.mail = person.mail
        user.jobTitle = person.jobTitle
        user.mobilePhone = person.mobilePhone
        try await admin.call(IdentityAdmin.addUser(["tenant": tenant], body: user))
        guard let role = person.role else { return }
        try await admin.call(
            IdentityAdmin.assignRole(["tenant": tenant, "role": role, "user": person.userName]))
    }

    private func add(_ app: EnvironmentFacts.App, to tenant: String) async throws {
        let client = IdentityAdmin.NewClient(
            id: app.clientID, displayName: app.title, redirectURIs: [app.redirectURI])
        try await admin.call(IdentityAdmin.addClient(["tenant": tenant], body: client))
    }
}
