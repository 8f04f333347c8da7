// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
package import OAuth
internal import Redaction

/// The device's client for the identity platform's endpoints.
package struct IdentityClient: Sendable {
    package let https: any HTTPSending
    /// `https://<host>[:<port>]`.
    package let loginURL: String
    /// The tenant's id or domain.
    package var tenant: String
    /// The correlation id of the app's request, a UUID.
    package var correlationID: String?

    package init(https: any HTTPSending, loginURL: String, tenant: String) {
        (self.https, self.loginURL, self.tenant) = (https, loginURL, tenant)
    }

    /// Returns a fresh nonce for a signed request.
    ///
    /// - Throws: ``OAuthError`` for a refusal, ``BrokerError``, ``HTTPSError``.
    package func nonce() async throws -> String {
        try PrimaryRefreshToken.nonce(decoding: try await post(PrimaryRefreshToken.nonceForm))
    }

    /// Posts a form to the token endpoint and returns the body of a 200 reply.
    ///
    /// - Throws: ``OAuthError`` for a refusal, ``BrokerError`` for a malformed reply, ``HTTPSError`` if no reply
    ///   arrived.
    package func post(_ form: FormParameters) async throws -> [UInt8] {
        try await post(form, to: EndpointPath.token(tenant: tenant))
    }

    /// Posts a form to `path` on the identity platform.
    package func post(_ form: FormParameters, to path: String) async throws -> [UInt8] {
        try await reply(to: form, at: path).body
    }

    /// Whether `id` is the platform's id of ``tenant``, which may be a domain.
    ///
    /// - Throws: ``BrokerError`` for a malformed reply or a failure of the server, ``HTTPSError`` if no reply arrived.
    package func isTenant(_ id: String) async throws -> Bool {
        let response = try await https.send(
            .init(method: "GET", url: loginURL + "/\(tenant)/v2.0/.well-known/openid-configuration"))
        guard response.status == 200 else {
            let refusal = Self.refusal(response)
            guard (refusal as? OAuthError)?.number == Self.unknownTenantNumber else { throw refusal }
            return false
        }
        let document = try Members(decoding: response.body)
        return try document.string(DiscoveryName.tokenEndpoint).lowercased().contains("/\(id.lowercased())/")
    }

    private enum DiscoveryName: String, WireName { case tokenEndpoint = "token_endpoint" }

    /// The error number with which the platform refuses requests for a tenant that it does not have.
    private static let unknownTenantNumber = 90002

    private func reply(to form: FormParameters, at path: String) async throws -> HTTPSClient.Response {
        var headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        if let correlationID { headers.append((ParameterName.clientRequestID.rawValue, correlationID)) }
        let response = try await https.send(
            .init(method: "POST", url: loginURL + path, headers: headers, body: Array(form.encoded.utf8)))
        guard response.status == 200 else { throw Self.refusal(response) }
        return response
    }

    /// Posts a request that is signed over a nonce, to the token endpoint or to `path`.
    ///
    /// If the server refuses the nonce, for example after a restart, the client fetches a new nonce, and signs and
    /// sends the request once more.
    ///
    /// - Parameters:
    ///   - nonces: holds the nonce from the previous reply and receives the nonce from this reply. Without a store, or
    ///     if the store is empty, the client fetches a nonce from the server.
    ///   - form: signs the request over a nonce.
    /// - Throws: as ``post(_:to:)``, or what `form` throws.
    package func post(
        to path: String? = nil, with nonces: NonceStore? = nil,
        signed form: (_ nonce: String) async throws -> FormParameters
    ) async throws -> [UInt8] {
        let path = path ?? EndpointPath.token(tenant: tenant)
        var kept = nonces?.take()
        var isRepeated = false
        while true {
            do {
                let nonce = if let kept { kept } else { try await nonce() }
                let response = try await reply(to: try await form(nonce), at: path)
                nonces?.keep(response.header(PrimaryRefreshToken.nonceHeader))
                return response.body
            } catch let refusal as OAuthError where refusal.suberror == Suberror.staleNonce && !isRepeated {
                (kept, isRepeated) = (nil, true)
            }
        }
    }

    /// Returns the error for a reply that refuses the request. A reply without an OAuth error counts as a failure of
    /// the server.
    private static func refusal(_ response: HTTPSClient.Response) -> any Error {
        guard let members = try? Members(decoding: response.body), let error = OAuthError(members) else {
            return BrokerError(
                .serverError,
                "The identity platform answered with status \(response.status). Look at the platform's log.")
        }
        return error
    }
}

extension BrokerError {
    /// The broker's error for an OAuth error from the server.
    package init(_ error: OAuthError) {
        let code: Code =
            switch error.code {
            case .invalidRequest: .invalidRequest
            case .invalidClient: .invalidClient
            case .invalidGrant, .interactionRequired, .loginRequired: .interactionRequired
            case .invalidScope, .invalidResource: .invalidScope
            case .unauthorizedClient: .unauthorizedClient
            case .accessDenied: .accessDenied
            case .serverError, .temporarilyUnavailable: .serverError
            default: .server
            }
        let refusal = DeviceRefusal(number: error.number)
        let message = refusal.map { "\($0.reason.message) (AADSTS\(error.number))" } ?? error.wireDescription
        self.init(
            code, message, reason: refusal?.reason, oauthError: error.code.rawValue, oauthSuberror: error.suberror)
        if error.number != 0 { serverCodes = [error.number] }
    }

    /// The broker's error for any failure of a request from the device to the server.
    package init(reading error: any Error) {
        switch error {
        case let error as BrokerError: self = error
        case let error as OAuthError: self.init(error)
        case let error as HTTPSError:
            self.init(.network, "The identity platform cannot be reached (\(error.code.rawValue)). Check the network.")
        case let failure as TrustedPlatformFailure:
            self.init(.internal, "The device's keys cannot be used (\(failure.code)). \(failure.remedy)")
        case is CancellationError:
            self.init(.programCanceled, "The request was cancelled before it was finished.")
        default:
            self.init(
                .internal, "The identity platform's answer cannot be used (\(type(of: error))). Look at both logs.")
        }
    }
}

/// Why the identity platform refuses every request from this device.
private enum DeviceRefusal {
    case disabled, removed

    init?(number: Int) {
        switch number {
        case OAuthError.disabledDeviceNumber: self = .disabled
        case OAuthError.unknownDeviceNumber: self = .removed
        default: return nil
        }
    }

    var reason: BrokerError.Reason {
        switch self {
        case .disabled: .deviceDisabled
        case .removed: .deviceRemoved
        }
    }
}

extension BrokerError {
    /// Whether the identity platform refused the request because of the device, no matter which user made it.
    package var meansDevice: Bool { serverCodes.contains { DeviceRefusal(number: $0) != nil } }
}
