// SPDX-License-Identifier: Apache-2.0

/// The names that an app chooses for its readers of account changes and for its erasers.
package enum HandoverName {
    /// The maximum number of names of one kind that one app may use. The broker keeps the state of each on disk.
    package static let maximumCount = 16
    /// The maximum number of processes that may register one name as an eraser in one session.
    package static let maximumProcesses = 64
    /// The maximum number of registrations of one app's erasers in one session. Each process counts once for each name.
    package static let maximumRegistrations = 128

    /// Whether a name is at most 16 letters `a` to `z`. The empty name is the reader or the eraser without a name.
    package static func isValid(_ name: String) -> Bool {
        name.utf8.count <= 16 && name.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
    }
}
