// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Glibc

/// Whom the helper serves, and whose processes and folders it may touch.
package struct HelperConfiguration: Sendable {
    /// The user of `batond`, the only one who may ask.
    package let broker: UInt32
    /// The users of graphical sessions.
    package let users: [SessionUser]
    /// The folder below which storage is mounted; it and every folder above it belong to root.
    package let storage: String
    /// The largest size of one session's storage.
    package let megabytes: UInt32

    package init(broker: UInt32, users: [SessionUser], storage: String, megabytes: UInt32) {
        (self.broker, self.users, self.storage, self.megabytes) = (broker, users, storage, megabytes)
    }

    /// The session user with this number.
    ///
    /// - Throws: ``HelperRefusal`` if it is not one of them.
    func user(_ number: UInt32) throws(HelperRefusal) -> SessionUser {
        guard let user = users.first(where: { $0.number == number }) else {
            throw HelperRefusal(
                .userNotAllowed, "User \(number) is not a session user. Name the user with --user of baton-helper.")
        }
        return user
    }
}

/// A user of the system whose graphical session the device's workers share.
package struct SessionUser: Sendable, Equatable {
    package let number: UInt32
    package let group: UInt32
    package let home: String

    package init(number: UInt32, group: UInt32, home: String) {
        (self.number, self.group, self.home) = (number, group, home)
    }

    /// Looks the user up by name (getpwnam(3)); nil if the system has no such user.
    package init?(name: String) {
        guard let entry = unsafe getpwnam(name) else { return nil }
        unsafe self.init(
            number: entry.pointee.pw_uid, group: entry.pointee.pw_gid, home: String(cString: entry.pointee.pw_dir))
    }
}
