// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias UserID = ID<User>

/// A person in the directory.
package struct User: Sendable {
    package let tenant: TenantID
    package let id: UserID
    package let userPrincipalName: String
    package let profile: Profile
    package let isEnabled: Bool

    /// A person's profile in the directory.
    package struct Profile: Sendable, Equatable {
        package var displayName: String
        package var givenName: String?
        package var surname: String?
        package var mail: String?
        package var jobTitle: String?
        package var mobilePhone: String?

        package init(
            displayName: String, givenName: String? = nil, surname: String? = nil, mail: String? = nil,
            jobTitle: String? = nil, mobilePhone: String? = nil
        ) {
            self.displayName = displayName
            self.givenName = givenName
            self.surname = surname
            self.mail = mail
            self.jobTitle = jobTitle
            self.mobilePhone = mobilePhone
        }
    }
}
