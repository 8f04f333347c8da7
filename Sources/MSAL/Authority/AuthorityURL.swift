// SPDX-License-Identifier: Apache-2.0

/// The address of an authority, checked and normalised (AUT-1).
struct AuthorityURL {
    let normalized: URL

    init(_ url: URL) throws(Fault) {
        guard url.scheme?.lowercased() == "https" else { throw Self.invalid("is not https") }
        guard let host = url.host?.lowercased(), !host.isEmpty else { throw Self.invalid("has no host") }
        guard let tenant = url.pathComponents.dropFirst().first else { throw Self.invalid("names no tenant") }
        guard !["adfs", "tfp"].contains(tenant.lowercased()) else {
            throw Self.invalid("is of AD FS or B2C, which have no broker")
        }
        var parts = URLComponents()
        parts.scheme = "https"
        parts.host = host
        parts.port = url.port
        parts.path = "/\(tenant)"
        guard let normalized = parts.url else { throw Self.invalid("cannot be written as https://<host>/<tenant>") }
        self.normalized = normalized
    }

    private static func invalid(_ reason: String) -> Fault {
        Fault(.internalErrorInvalidParameter, "The authority \(reason). Give one of the form https://<host>/<tenant>.")
    }
}
