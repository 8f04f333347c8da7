// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    package struct Group: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let description: String?
        /// User principal names of those who are in it.
        package let members: [String]

        package init(id: String, displayName: String, description: String?, members: [String]) {
            self.id = id
            self.displayName = displayName
            self.description = description
            self.members = members
        }
    }

    /// A group to be made, with nobody in it.
    package struct NewGroup: Codable, Sendable {
        package let displayName: String
        /// A name without blanks; made of the display name where it is left out.
        package let mailNickname: String?
        package let description: String?

        package init(displayName: String, mailNickname: String?, description: String?) {
            self.displayName = displayName
            self.mailNickname = mailNickname
            self.description = description
        }
    }
}
