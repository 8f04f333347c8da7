// SPDX-License-Identifier: Apache-2.0

/// A path of the administration socket with placeholders, such as `/identity/tenants/{tenant}`.
package protocol PathTemplate: RawRepresentable<String>, Sendable {}

extension PathTemplate {
    /// Returns the path with its placeholders filled in and the query appended, percent-encoded.
    package func filled(_ places: [String: String], query: [(String, String)] = []) -> String {
        AdminOperation.filled(rawValue, places, query: query)
    }
}
