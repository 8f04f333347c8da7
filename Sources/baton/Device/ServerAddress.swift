// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface

/// The canonical form of a server's address.
enum ServerAddress {
    /// Returns `https://<host>[:<port>]` in lower case, without the default port.
    ///
    /// - Throws: `ValidationError` for anything with a path, a query or another scheme.
    static func normalised(_ text: String) throws -> String {
        guard let url = ServerURL(text), url.path.isEmpty else {
            throw ValidationError("An address has the form https://host[:port].")
        }
        return url.origin
    }
}
