// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A client's id and secret (RFC 6749 section 2.3.1), from the `Authorization` header or from the form.
struct ClientCredentials: Sendable {
    let id: ClientID
    let secret: Sensitive<String>?

    /// - Throws: ``OAuthError``
    init(form: FormParameters, authorization: String?) throws(OAuthError) {
        guard form[ParameterName.clientAssertion] == nil else { throw .assertionElsewhere }
        let basic = try authorization.flatMap(Self.basic)
        let (named, secret) = (form[ParameterName.clientID], form[ParameterName.clientSecret])
        guard let basic else {
            guard let id = ClientID(rawValue: try form.required(.clientID)) else { throw .unknownClient }
            self.id = id
            self.secret = secret.map(Sensitive.init)
            return
        }
        guard secret == nil else { throw .severalProofs }
        guard let id = ClientID(rawValue: basic.id) else { throw .unknownClient }
        guard named == nil || ClientID(rawValue: named ?? "") == id else { throw .severalProofs }
        self.id = id
        self.secret = basic.secret.exposed.isEmpty ? nil : basic.secret
    }

    /// Parses an `Authorization` header; returns nil if its scheme is not Basic. Clients form-encode the id and the
    /// secret separately before they join the two.
    private static func basic(_ header: String) throws(OAuthError) -> (id: String, secret: Sensitive<String>)? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return nil }
        guard header.utf8.count <= 1024, let bytes = try? Base64.decodeLeniently(String(parts[1])),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = try? text(bytes[..<colon]), let secret = try? text(bytes[(colon + 1)...])
        else { throw .malformedForm }
        return (id, Sensitive(secret))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        let form = try FormParameters(parsing: Array("v=".utf8) + bytes)
        return form["v"] ?? ""
    }
}

extension Clients {
    /// Returns the authenticated client. A public client needs only its id; any other client also needs one of its
    /// secrets.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func authenticated(_ credentials: ClientCredentials, tenant: TenantID, at now: Timestamp) throws -> Client {
        let client = try usable(credentials.id, tenant: tenant)
        guard !client.isPublic else {
            guard credentials.secret == nil else { throw OAuthError.publicClientWithSecret }
            return client
        }
        guard let secret = credentials.secret else { throw OAuthError.missingSecret }
        let shown = ClientSecret.hash(of: secret.exposed)
        // Compares with every secret even after a match, so that the time does not reveal which secret matches.
        let matches = try ClientSecrets(connection).hashes(of: client, at: now)
            .map { equalInConstantTime($0, shown) }
        guard matches.contains(true) else { throw OAuthError.wrongSecret }
        return client
    }
}
