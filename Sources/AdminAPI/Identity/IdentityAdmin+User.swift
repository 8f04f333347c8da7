// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension IdentityAdmin {
    package struct User: Codable, Sendable, Equatable {
        package let id: String
        package let userPrincipalName: String
        package let displayName: String
        package let givenName: String?
        package let surname: String?
        package let mail: String?
        package let jobTitle: String?
        package let mobilePhone: String?
        package let accountEnabled: Bool
        /// Names of the person's directory roles.
        package let roles: [String]

        package init(
            id: String, userPrincipalName: String, displayName: String, givenName: String?, surname: String?,
            mail: String?, jobTitle: String?, mobilePhone: String?, accountEnabled: Bool, roles: [String]
        ) {
            self.id = id
            self.userPrincipalName = userPrincipalName
            self.displayName = displayName
            self.givenName = givenName
            self.surname = surname
            self.mail = mail
            self.jobTitle = jobTitle
            self.mobilePhone = mobilePhone
            self.accountEnabled = accountEnabled
            self.roles = roles
        }
    }

    /// A person to add. The user principal name must end in the tenant's domain.
    package struct NewUser: Codable, Sendable {
        package var userPrincipalName: String
        package var displayName: String
        package var givenName: String?
        package var surname: String?
        package var mail: String?
        package var jobTitle: String?
        package var mobilePhone: String?
        package var password: Sensitive<String>

        package init(userPrincipalName: String, displayName: String, password: Sensitive<String>) {
            self.userPrincipalName = userPrincipalName
            self.displayName = displayName
            self.password = password
        }
    }

    package struct NewPassword: Codable, Sendable {
        package let password: Sensitive<String>

        package init(password: Sensitive<String>) { self.password = password }
    }

    /// A change to a person. Omitted fields stay as they are; an empty string clears an optional field. If the person
    /// is disabled, their sessions end at once.
    package struct UserChange: Codable, Sendable {
        package var accountEnabled: Bool?
        package var displayName: String?
        package var givenName: String?
        package var surname: String?
        package var mail: String?
        package var jobTitle: String?
        package var mobilePhone: String?

        package init(accountEnabled: Bool? = nil) { self.accountEnabled = accountEnabled }
    }
}

/// The operations on people.
extension IdentityAdmin {
    package static let listUsers = Endpoint<Empty, [User]>(
        "listUsers", .get("/identity/tenants/{tenant}/users"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .userAdministrator, .helpdeskAdministrator,
            .authenticationAdministrator, permission: "User.Read.All"),
        effect: .reading,
        summary: "Lists the people.")

    package static let addUser = Endpoint<NewUser, User>(
        "addUser", .post("/identity/tenants/{tenant}/users"), status: 201,
        by: .roles(.globalAdministrator, .userAdministrator, permission: "User.ReadWrite.All"),
        effect: .change("user.add"),
        errors: [
            "identity.user.name", "identity.display.name", "identity.text.malformed", "identity.name.taken",
            "identity.password.weak", "identity.password.breached", "identity.password.list", "identity.busy",
        ],
        summary: "Adds a person.")

    package static let getUser = Endpoint<Empty, User>(
        "getUser", .get("/identity/tenants/{tenant}/users/{user}"),
        by: .roles(
            .globalAdministrator, .globalReader, .userAdministrator, .helpdeskAdministrator,
            .authenticationAdministrator, permission: "User.Read.All"),
        effect: .reading,
        summary: "Returns a person with the names of their roles.")

    package static let changeUser = Endpoint<UserChange, Empty>(
        "changeUser", .patch("/identity/tenants/{tenant}/users/{user}"),
        by: .roles(.globalAdministrator, .userAdministrator, permission: "User.ReadWrite.All"),
        effect: .change("user.change", "user.disable", "user.enable"),
        errors: ["identity.display.name", "identity.text.malformed", "identity.role.last"],
        summary: "Changes a person.",
        details: "Omitted members do not change; an empty string clears a member. If the person is disabled, "
            + "their sessions end at once.")

    package static let removeUser = Endpoint<Empty, Empty>(
        "removeUser", .delete("/identity/tenants/{tenant}/users/{user}"),
        by: .roles(.globalAdministrator, .userAdministrator, permission: "User.ReadWrite.All"),
        effect: .danger("user.remove", "device.remove"),
        errors: ["identity.role.last"],
        summary: "Removes a person and everything that belongs to them, including their personal devices.")

    package static let setPassword = Endpoint<NewPassword, Empty>(
        "setPassword", .put("/identity/tenants/{tenant}/users/{user}/password"),
        by: .roles(
            .globalAdministrator, .userAdministrator, .helpdeskAdministrator, .authenticationAdministrator,
            permission: "UserAuthenticationMethod.ReadWrite.All"),
        effect: .change("user.password.set"),
        errors: ["identity.password.weak", "identity.password.breached", "identity.password.list", "identity.busy"],
        summary: "Sets the password of a person.",
        details: "Ends every session of the person and resets their count of wrong passwords.")

    package static let unlockUser = Endpoint<Empty, Empty>(
        "unlockUser", .delete("/identity/tenants/{tenant}/users/{user}/lock"),
        by: .roles(
            .globalAdministrator, .userAdministrator, .helpdeskAdministrator, .authenticationAdministrator,
            permission: "UserAuthenticationMethod.ReadWrite.All"),
        effect: .change("user.unlock"),
        summary: "Resets the count of a person's wrong passwords, but not the count of any address.")
}
