// SPDX-License-Identifier: Apache-2.0

/// Which folders an app may declare as the folders of a worker's data. The agent takes these folders away.
package enum DataFolderRule {
    /// The maximum number of folders of one app.
    package static let maximumCount = 8
    private static let maximumLength = 1024
    /// The folders at the root in which no app keeps a worker's data.
    private static let system: Set<String> = [
        "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr",
    ]

    /// Returns why a path cannot be a folder of data, as the rest of a sentence that begins with the path; nil if the
    /// path can be one. A folder of data has an absolute path without empty, `.` and `..` components, is at least two
    /// levels below the root, and is in no folder of the system.
    package static func objection(to path: String) -> String? {
        guard path.first == "/" else { return "is not an absolute path" }
        guard path.utf8.count <= maximumLength, !path.utf8.contains(0) else {
            return "is longer than \(maximumLength) bytes, or contains a zero"
        }
        let names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !system.contains(names[0]) else { return "belongs to the system" }
        guard names.count >= 2 else { return "is less than two levels below the root" }
        guard names.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            return "contains an empty name, . or .., or ends with a slash"
        }
        return nil
    }

    /// Returns why these paths cannot be the folders of one app, as the end of a sentence; nil if they can.
    package static func objection(to paths: [String]) -> String? {
        guard paths.count <= maximumCount else { return "they are more than \(maximumCount)" }
        return paths.lazy.compactMap { path in objection(to: path).map { "\(path.prefix(200)) \($0)" } }.first
    }
}
