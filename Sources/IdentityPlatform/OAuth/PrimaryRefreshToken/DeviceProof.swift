// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
internal import Storage

/// A request that a registered device has signed with its current key.
struct DeviceProof: Sendable {
    let device: Device
    let claims: Members
}

/// A call that a registered device has signed, with a nonce that was fresh.
struct AcceptedCall<Call: DeviceCall>: Sendable {
    let call: Call
    let device: DeviceID
    let acceptance: Acceptance
}

/// Verifies requests signed by registered devices.
struct DeviceProofs: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let nonces: Nonces
    let names: IdentityConfiguration.Names

    /// Verifies the signer of a request. The certificate in the request must be identical to the one issued to the
    /// device, byte for byte. It is looked up by its hash and is not parsed here. A different certificate with the same
    /// name is not accepted.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func check(_ token: CompactJWS, tenant: TenantID) async throws -> DeviceProof {
        guard let request = try? DeviceSignedRequest.Unverified(token) else { throw OAuthError.malformedSignedRequest }
        let hash = Array(SHA256.hash(data: request.certificate))
        let device = try await database.read { try Devices($0).find(certificateHash: hash, tenant: tenant) }
        guard let device, device.credentials.certificateExpires > environment.now() else {
            throw OAuthError.unknownDevice
        }
        guard let key = try? VerificationKey(publicKeyInfo: device.credentials.deviceKey) else {
            throw StorageError(.unexpectedValue, "a device's key does not parse")
        }
        do {
            return DeviceProof(device: device, claims: try request.verified(with: key))
        } catch .malformed {
            throw OAuthError.malformedSignedRequest
        } catch {
            throw OAuthError.wrongSignature
        }
    }

    /// Verifies and decodes a call signed by a device. The caller records the acceptance in the call's transaction.
    ///
    /// - Throws: ``OAuthError``, with the number ``OAuthError/unknownDeviceNumber`` if no device has the certificate;
    ///   ``StorageError``.
    func read<Call: DeviceCall>(
        _ type: Call.Type, in request: String, tenant: TenantID, for purpose: Nonces.Purpose
    ) async throws -> AcceptedCall<Call> {
        let token = try CompactJWS(request: request)
        let proof = try await check(token, tenant: tenant)
        guard let call = try? Call(proof.claims) else { throw OAuthError.malformedSignedRequest }
        try confirm(call.binding.audience, is: Call.path(tenant: tenant.rawValue), of: call.binding.deviceID, proof)
        let acceptance = try nonces.accept(
            call.binding.nonce, signed: token.signingInput, for: purpose, by: proof.device.id.rawValue)
        return AcceptedCall(call: call, device: proof.device.id, acceptance: acceptance)
    }

    /// Checks that a signed request is meant for `path` of this server and names the device that signed it. Case is
    /// ignored, because the device may spell the address differently. The port is ignored, because a proxy in front of
    /// the server may use a different port.
    ///
    /// - Throws: ``OAuthError``.
    private func confirm(
        _ audience: String, is path: String, of deviceID: String, _ proof: DeviceProof
    ) throws(OAuthError) {
        guard let address = HTTPSAddress(audience), address.host == names.login,
            address.path.lowercased() == path.lowercased()
        else { throw .wrongAudience }
        guard deviceID.lowercased() == proof.device.id.rawValue else { throw .wrongIssuer }
    }
}

extension CompactJWS {
    /// Parses a signed request.
    init(request: String) throws(OAuthError) {
        do { try self.init(request) } catch { throw .malformedSignedRequest }
    }
}
