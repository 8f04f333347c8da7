// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    package struct Group: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let description: String?
        /// User principal names of the members.
        package let members: [String]

        package init(id: String, displayName: String, description: String?, members: [String]) {
            self.id = id
            self.displayName = displayName
            self.description = description
            self.members = members
        }
    }

    /// A group to create, without members.
    package struct NewGroup: Codable, Sendable {
        package let displayName: String
        /// A name without spaces. The default is derived from the display name.
        package let mailNickname: String?
        package let description: String?

        package init(displayName: String, mailNickname: String?, description: String?) {
            self.displayName = displayName
            self.mailNickname = mailNickname
            self.description = description
        }
    }
}
