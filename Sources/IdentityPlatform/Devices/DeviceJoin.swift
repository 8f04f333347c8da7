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
        let description = try DeviceDescription(request)
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
            displayName: description.displayName.isEmpty ? id.rawValue : description.displayName,
            operatingSystem: description.operatingSystem,
            operatingSystemVersion: description.operatingSystemVersion,
            trustType: request.joinType == .join ? .joined : .registered,
            profileType: request.isShared ? .shared : .personal, isEnabled: true, isManaged: false,
            credentials: Device.Credentials(
                certificateHash: Array(SHA256.hash(data: certificate)), certificateExpires: end,
                deviceKey: Array(key.derRepresentation),
                transportKey: request.transportKey.key.encoded),
            registered: begin, registeredOwner: request.isShared ? nil : token.user.id, epoch: nil,
            isEpochClosed: false)
        try await add(device, for: token.user)
        let thumbprint = Insecure.SHA1.hash(data: certificate).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return JoinReply(
            certificate: certificate, thumbprint: thumbprint.joined(),
            userPrincipalName: token.user.userPrincipalName)
    }

    /// Keeps the device if the person may join it by the directory of this moment; a refusal is recorded, too.
    private func add(_ device: Device, for person: User) async throws {
        let quota = platform.configuration.devices.devicesPerPerson
        let refusal = try await platform.database.write { connection -> RegistrationError? in
            let (devices, log) = (Devices(connection), AuditLog(connection))
            let refusal = DeviceRegistrationPolicy.refusal(
                isShared: device.binding.isShared,
                roles: try RoleMembers(connection).roles(of: person.id, tenant: person.tenant),
                owned: try devices.owned(by: person.id, tenant: person.tenant).count, quota: quota)
            if refusal != nil {
                try log.appendOrCount(
                    .deviceJoined, tenant: person.tenant, actor: person.id.rawValue, subject: nil, outcome: "refused",
                    at: device.registered)
                return refusal
            }
            try devices.add(device)
            try log.append(
                .deviceJoined, tenant: person.tenant, actor: person.id.rawValue, subject: device.id.rawValue,
                at: device.registered)
            return nil
        }
        if let refusal { throw refusal }
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
