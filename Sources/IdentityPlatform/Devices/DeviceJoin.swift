// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import OAuth
internal import Storage
internal import SwiftASN1
internal import X509

/// Joins a device: judges, certifies its key, keeps it.
struct DeviceJoin: Sendable {
    let platform: Platform

    /// Joins the device for the person of `token`.
    ///
    /// - Throws: ``RegistrationError``, ``StorageError``, or the library's error.
    func join(_ request: JoinRequest, by token: AccessToken) async throws -> JoinReply {
        if let refusal = DeviceRegistrationPolicy.refusal(isShared: request.isShared, roles: token.roles) {
            throw refusal
        }
        let key = try Self.provenKey(request.certificateRequest)
        let ambient = platform.ambient
        let (begin, id) = (ambient.now(), ambient.identifier(of: DeviceBinding.self))
        let end = begin + platform.configuration.devices.certificateLifetime
        let authority = try await platform.deviceAuthorities.authority(of: token.tenant)
        let certificate = try authority.issue(
            DeviceAuthority.Subject(
                device: id, user: token.user.id, tenant: token.tenant, joinType: request.joinType,
                region: platform.configuration.devices.region, key: key),
            from: begin, to: end)
        let device = Device(
            tenant: token.tenant, id: id, objectID: ambient.identifier(),
            displayName: request.displayName.isEmpty ? id.rawValue : request.displayName,
            operatingSystem: request.deviceType, operatingSystemVersion: request.operatingSystemVersion,
            trustType: request.joinType == .join ? .joined : .registered,
            profileType: request.isShared ? .shared : .personal, isEnabled: true, isManaged: false,
            credentials: Device.Credentials(
                certificateHash: Array(SHA256.hash(data: certificate)), certificateExpires: end,
                deviceKey: Array(key.derRepresentation),
                transportKey: request.transportKey.key.encoded),
            registered: begin, epoch: nil)
        try await platform.database.write { connection in
            try Devices(connection).add(device)
            try AuditLog(connection).append(
                .deviceJoined, tenant: token.tenant, actor: token.user.id.rawValue, subject: id.rawValue, at: begin)
        }
        let thumbprint = Insecure.SHA1.hash(data: certificate).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return JoinReply(
            certificate: certificate, thumbprint: thumbprint.joined(),
            userPrincipalName: token.user.userPrincipalName)
    }

    /// The key of a certificate request that is signed by that key.
    private static func provenKey(_ request: [UInt8]) throws(RegistrationError) -> _RSA.Signing.PublicKey {
        guard request.count <= 8 * 1024, let parsed = try? CertificateSigningRequest(derEncoded: request),
            parsed.publicKey.isValidSignature(parsed.signature, for: parsed)
        else {
            throw RegistrationError(.badRequest, "The certificate request does not parse or is not signed by its key.")
        }
        guard let key = _RSA.Signing.PublicKey(parsed.publicKey), (2048...4096).contains(key.keySizeInBits) else {
            throw RegistrationError(.badRequest, "The device key must be an RSA key of 2048 to 4096 bits.")
        }
        return key
    }
}
