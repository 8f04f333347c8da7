// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
package import OAuth
internal import Storage

extension Request {
    /// Parses the form in the body. Ignores Content-Type, because known clients do not send it.
    ///
    /// - Throws: ``OAuthError``
    package func form(limit: Int) async throws -> FormParameters {
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw OAuthError.tooLarge
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The client disconnected before the end of the body, or the framing of the body is invalid.
            throw OAuthError.malformedForm
        }
        return try FormParameters(checking: buffer.readableBytesView)
    }

    /// Parses the parameters of the query.
    ///
    /// - Throws: ``OAuthError``
    package func queryParameters() throws(OAuthError) -> FormParameters {
        try FormParameters(checking: (uri.query ?? "").utf8)
    }

    /// The path for use in this server's own URLs, with exactly one slash at the start. If a path started with two
    /// slashes or with a backslash, a browser would read the rest of the path as a host name.
    var ownPath: String { "/" + uri.path.drop { $0 == "/" || $0 == "\\" } }

    /// The first segment of the path: the tenant's name as the client wrote it. The forms of a page use the same
    /// segment, so that a sign-in stays on the paths on which it began.
    var tenantName: Substring { ownPath.dropFirst().prefix { $0 != "/" } }

    /// The client's own request id if it is a GUID, from the header or, for a browser, from the query.
    package var correlation: String? {
        let text = headers[.clientRequestID] ?? (try? queryParameters())?[ParameterName.clientRequestID]
        return text.flatMap { ID<OAuthError>(rawValue: $0)?.rawValue }
    }
}

extension FormParameters {
    /// Parses a form or a query within the platform's limits.
    ///
    /// - Throws: ``OAuthError``
    init(checking bytes: some Collection<UInt8>) throws(OAuthError) {
        do {
            try self.init(parsing: bytes)
        } catch .overLimit {
            throw .tooLarge
        } catch {
            throw .malformedForm
        }
    }

    /// Returns the value of a required parameter.
    ///
    /// - Throws: ``OAuthError``
    package func required(_ name: ParameterName) throws(OAuthError) -> String {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    /// Returns how long ago the person may have signed in (OpenID Connect Core section 3.1.2.1); nil for no limit.
    ///
    /// - Throws: ``OAuthError``
    func maxAge() throws(OAuthError) -> Duration? {
        guard let text = self[ParameterName.maxAge] else { return nil }
        guard let seconds = Int32(text), seconds >= 0 else { throw .malformedForm }
        return .seconds(Int64(seconds))
    }

    /// Whether the client requested `client_info`.
    package var wantsClientInfo: Bool { self[ParameterName.clientInfo] == "1" }
}
