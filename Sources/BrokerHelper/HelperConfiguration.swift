// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
package import Processes

/// The user whose requests the helper answers, and the users whose processes and folders the helper may touch.
package struct HelperConfiguration: Sendable {
    /// The user of `batond`, the only user whose requests are answered.
    package let broker: UInt32
    /// The users of graphical sessions.
    package let users: [SystemUser]
    /// The folder below which storage is mounted. This folder and every folder above it belong to root.
    package let storage: String
    /// The maximum size of one session's storage, in megabytes.
    package let megabytes: UInt32

    package init(broker: UInt32, users: [SystemUser], storage: String, megabytes: UInt32) {
        (self.broker, self.users, self.storage, self.megabytes) = (broker, users, storage, megabytes)
    }

    /// Returns the session user with this user id.
    ///
    /// - Throws: ``HelperRefusal`` if no session user has this id.
    func user(_ number: UInt32) throws(HelperRefusal) -> SystemUser {
        guard let user = users.first(where: { $0.number == number }) else {
            throw HelperRefusal(
                .userNotAllowed, "User \(number) is not a session user. Name the user with --user of baton-helper.")
        }
        return user
    }
}
