// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A user of the operating system, from its user database (passwd(5)).
package struct SystemUser: Sendable, Hashable {
    package let number: UInt32
    package let group: UInt32
    /// Absolute path of the home folder.
    package let home: String

    package init(number: UInt32, group: UInt32, home: String) {
        self.number = number
        self.group = group
        self.home = home
    }

    /// Looks the user up by name (getpwnam(3)); nil if the system has no such user.
    package init?(name: String) {
        guard let entry = unsafe getpwnam(name) else { return nil }
        unsafe self.init(entry.pointee)
    }

    /// Looks the user up by number (getpwuid(3)); nil if the system has no such user.
    package init?(number: UInt32) {
        guard let entry = unsafe getpwuid(number) else { return nil }
        unsafe self.init(entry.pointee)
    }

    private init(_ entry: passwd) {
        unsafe self.init(number: entry.pw_uid, group: entry.pw_gid, home: String(cString: entry.pw_dir))
    }
}
