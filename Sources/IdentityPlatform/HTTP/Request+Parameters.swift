// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
package import OAuth
internal import Storage

extension Request {
    /// The form in the body, whatever its Content-Type says: known clients send none.
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
            // The client went away in the middle of it, or its framing is none.
            throw OAuthError.malformedForm
        }
        return try FormParameters(checking: buffer.readableBytesView)
    }

    /// The parameters of the query.
    ///
    /// - Throws: ``OAuthError``
    package func queryParameters() throws(OAuthError) -> FormParameters {
        try FormParameters(checking: (uri.query ?? "").utf8)
    }

    /// The path as it may stand in an address of ours: with one slash in front, since a browser takes what follows two,
    /// or a backslash, for the name of a host.
    var ownPath: String { "/" + uri.path.drop { $0 == "/" || $0 == "\\" } }

    /// The client's own id of the request, if it is a GUID: out of the header or, for a browser, out of the address.
    package var correlation: String? {
        let text = headers[.clientRequestID] ?? (try? queryParameters())?[ParameterName.clientRequestID]
        return text.flatMap { ID<OAuthError>(rawValue: $0)?.rawValue }
    }
}

extension FormParameters {
    /// Reads a form or a query under the platform's limits.
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

    /// The value of a parameter that has to be there.
    ///
    /// - Throws: ``OAuthError``
    package func required(_ name: ParameterName) throws(OAuthError) -> String {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    /// Whether the client asked for `client_info`.
    package var wantsClientInfo: Bool { self[ParameterName.clientInfo] == "1" }
}
