// SPDX-License-Identifier: Apache-2.0

/// The path of the sources, for tests that run programs which are not compiled.
package enum Repository {
    /// The folder with `Package.swift`.
    package static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
}
