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

    package struct Role: Codable, Sendable, Equatable {
        /// Entra's template id.
        package let id: String
        package let displayName: String
        /// User principal names of the role's members.
        package let members: [String]

        package init(id: String, displayName: String, members: [String]) {
            self.id = id
            self.displayName = displayName
            self.members = members
        }
    }
}
