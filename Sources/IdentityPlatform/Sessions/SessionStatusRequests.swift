// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

/// A device that has proved possession of its key and asks for its state.
package struct DeviceAsker: Sendable {
    package let tenant: TenantID
    package let device: DeviceID
    let epoch: DeviceEpoch
    let session: String?
}

/// Answers devices' requests for their own state and for the state of their sessions.
package struct SessionStatusRequests: Sendable {
    let database: any Database
    let proofs: DeviceProofs

    /// Authenticates the sender of a signed ``SessionStatusRequest``. A disabled device is accepted.
    ///
    /// - Throws: ``OAuthError``, with the number ``OAuthError/unknownDeviceNumber`` if no device has the certificate;
    ///   ``StorageError``.
    package func asker(of question: String, tenant: TenantID) async throws -> DeviceAsker {
        let asked = try await proofs.read(
            SessionStatusRequest.self, in: question, tenant: tenant, for: .sessionState)
        if asked.acceptance.isStored { try await database.write { try asked.acceptance.record(in: $0) } }
        return DeviceAsker(
            tenant: tenant, device: asked.device, epoch: asked.call.epoch, session: asked.call.sessionID)
    }

    /// Returns the current state of the device and its session.
    ///
    /// - Throws: ``StorageError``
    package func status(of asker: DeviceAsker) async throws -> SessionStatus {
        let (status, isAhead) = try await database.read { connection in
            (try judge(asker, connection), try namesLostSession(asker, connection))
        }
        if isAhead {
            let time = proofs.environment.now()
            try await database.write { connection in
                guard try namesLostSession(asker, connection) else { return }
                try AheadDevices(connection).record(
                    asker.device, tenant: asker.tenant, proof: "epoch \(asker.epoch.counter)", at: time)
            }
        }
        return status
    }
}

/// Returns whether the device names a session that the database lost when it was restored to an earlier point.
private func namesLostSession(_ asker: DeviceAsker, _ connection: any Connection) throws -> Bool {
    guard asker.session != nil, let device = try Devices(connection).find(asker.device, tenant: asker.tenant) else {
        return false
    }
    return try AheadDevices(connection).isLost(asker.session, in: asker.epoch, of: device)
}

private func judge(_ asker: DeviceAsker, _ connection: any Connection) throws -> SessionStatus {
    guard let device = try Devices(connection).find(asker.device, tenant: asker.tenant) else { return .deviceUnknown }
    guard device.isEnabled else { return .deviceDisabled }
    // Here only an epoch that the device has left counts as stale. Whether the current epoch has ended is determined
    // below from the session.
    guard EpochRule.judge(asker.epoch, highest: device.epoch, isClosed: false) != .stale else { return .staleEpoch }
    guard let asked = asker.session else { return .noSession }
    guard let id = SessionID(rawValue: asked),
        let session = try Sessions(connection).find(id, tenant: asker.tenant), session.device?.id == asker.device,
        session.epochCounter == Int64(asker.epoch.counter)
    else { return .ended }
    let person = try Users(connection).find(session.user, tenant: asker.tenant)
    return SessionRule.refusal(of: session, person: person, device: device) == nil ? .live : .ended
}
