// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc

/// The additional user ids under which a user may own files in the user's own user namespaces (subuid(5)).
package struct SubordinateUsers: Sendable, Equatable {
    package let ranges: [ClosedRange<UInt32>]

    package static let file = "/etc/subuid"
    /// The file that may name another source of these ids.
    private static let sources = "/etc/nsswitch.conf"

    /// Creates an empty set of ids.
    package init() { ranges = [] }

    package func contains(_ user: UInt32) -> Bool { ranges.contains { $0.contains(user) } }

    /// Reads the ids of some users. A machine without the file has none.
    ///
    /// - Throws: ``SubordinateUsersError`` if the ids are not known.
    package static func read(of users: [UInt32]) throws(SubordinateUsersError) -> SubordinateUsers {
        if let text = try content(of: sources), !hasOnlyFile(text) { throw SubordinateUsersError(.source) }
        guard let text = try content(of: file) else { return SubordinateUsers() }
        return try SubordinateUsers(text: text, users) { (name) throws(SubordinateUsersError) in
            try number(ofUser: name)
        }
    }

    private static func content(of path: String) throws(SubordinateUsersError) -> String? {
        do throws(FileError) {
            return try AtomicFile(path: path).read().map { String(decoding: $0, as: UTF8.self) }
        } catch { throw SubordinateUsersError(.unreadable, errno: error.errno) }
    }

    /// Whether `/etc/subuid` is the only source of the ids according to this text of `nsswitch.conf`. That is the
    /// default (nsswitch.conf(5)).
    static func hasOnlyFile(_ configuration: String) -> Bool {
        configuration.split(whereSeparator: \.isNewline).allSatisfy { line in
            let words = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.first?.filter({ !$0.isWhitespace }) == "subid" else { return true }
            return words.dropFirst().first?.split(whereSeparator: \.isWhitespace) == ["files"]
        }
    }

    /// Reads the text of the file. Every line must have the documented form, so that no range is missed.
    ///
    /// - Parameter number: returns the id of the user with this name; nil if there is none.
    init(
        text: String, _ users: [UInt32],
        number: (String) throws(SubordinateUsersError) -> UInt32?
    ) throws(SubordinateUsersError) {
        var ranges: [ClosedRange<UInt32>] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, !fields[0].isEmpty, let first = Self.number(fields[1]),
                let count = Self.number(fields[2]), count > 0
            else { throw SubordinateUsersError(.malformed) }
            let (last, isTooLarge) = first.addingReportingOverflow(count - 1)
            guard !isTooLarge else { throw SubordinateUsersError(.malformed) }
            // The first field is a name, or an id.
            let owner = String(fields[0])
            let isTheirs =
                if let id = Self.number(fields[0]), users.contains(id) { true } else {
                    try number(owner).map(users.contains) ?? false
                }
            if isTheirs { ranges.append(first...last) }
        }
        self.ranges = ranges
    }

    private static func number(_ field: Substring) -> UInt32? {
        field.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(field) : nil
    }

    /// - Throws: ``SubordinateUsersError`` if that cannot be determined.
    private static func number(ofUser name: String) throws(SubordinateUsersError) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        let outcome = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        guard outcome == 0 || [ENOENT, ESRCH].contains(outcome) else {
            throw SubordinateUsersError(.unreadable, errno: outcome)
        }
        return unsafe found.map { unsafe $0.pointee.pw_uid }
    }
}

/// Why the subordinate user ids are not known.
package struct SubordinateUsersError: Error, Equatable {
    package enum Reason: Sendable { case unreadable, malformed, source }

    package let reason: Reason
    /// The number of the error (errno(3)).
    package let errno: Int32

    init(_ reason: Reason, errno: Int32 = EINVAL) { (self.reason, self.errno) = (reason, errno) }

    /// The reason in a few words.
    package var cause: String {
        switch reason {
        case .unreadable: unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        case .malformed: "a line is malformed"
        case .source: "/etc/nsswitch.conf names another source"
        }
    }
}
