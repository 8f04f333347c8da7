// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

/// A device that has proved its key and asks how it stands.
package struct DeviceAsker: Sendable {
    package let tenant: TenantID
    package let device: DeviceID
    let epoch: DeviceEpoch
    let session: String?
}

/// How devices and their sessions stand, for those devices themselves.
package struct SessionStatusRequests: Sendable {
    let database: any Database
    let proofs: DeviceProofs

    /// Who asks with a signed ``SessionStatusRequest``; a disabled device may, too.
    ///
    /// - Throws: ``OAuthError``, number ``OAuthError/unknownDeviceNumber`` where no device has the certificate;
    ///   ``StorageError``.
    package func asker(of question: String, tenant: TenantID) async throws -> DeviceAsker {
        let (question, device) = try await proofs.read(
            SessionStatusRequest.self, in: question, tenant: tenant, for: .sessionState)
        return DeviceAsker(tenant: tenant, device: device, epoch: question.epoch, session: question.sessionID)
    }

    /// How the device and its session stand now.
    ///
    /// - Throws: ``StorageError``
    package func status(of asker: DeviceAsker) async throws -> SessionStatus {
        try await database.read { try judge(asker, $0) }
    }
}

private func judge(_ asker: DeviceAsker, _ connection: any Connection) throws -> SessionStatus {
    guard let device = try Devices(connection).find(asker.device, tenant: asker.tenant) else { return .deviceUnknown }
    guard device.isEnabled else { return .deviceDisabled }
    // Whether the epoch has ended says the session; here counts only that the device has not left it.
    guard EpochRule.judge(asker.epoch, highest: device.epoch, isClosed: false) != .stale else { return .staleEpoch }
    guard let asked = asker.session else { return .noSession }
    guard let id = SessionID(rawValue: asked),
        let session = try Sessions(connection).find(id, tenant: asker.tenant), session.device?.id == asker.device,
        session.epochCounter == Int64(asker.epoch.counter)
    else { return .ended }
    let person = try Users(connection).find(session.user, tenant: asker.tenant)
    return SessionRule.refusal(of: session, person: person, device: device) == nil ? .live : .ended
}
