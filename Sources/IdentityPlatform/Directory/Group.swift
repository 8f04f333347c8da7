// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias GroupID = ID<Group>

/// A group of people and devices in the directory, for example a ward.
package struct Group: Sendable, Equatable {
    package let tenant: TenantID
    package let id: GroupID
    package let displayName: String
    package let mailNickname: String
    package let description: String?
    package let created: Timestamp
}
