// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import OAuth

/// Queries the identity platform, as the device, for the status of device and session. Holds no user's secret.
struct SessionStatusClient: Sendable {
    private let device: DeviceCallSigner

    /// Reads the device's keys; blocks on the disk.
    ///
    /// - Throws: ``DeviceStateDamaged``, or the reader's error if the certificate cannot be read.
    init(join: JoinRecord, keys: KeyStore, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws {
        device = try DeviceCallSigner(join: join, keys: try DeviceKeys(in: keys), https: https, now: now)
    }

    /// Returns a signed query that contains a fresh nonce.
    @concurrent func question(_ session: WatchedSession) async throws -> String {
        let epoch = try Self.epoch(of: session)
        return try await device.signed(over: try await device.server.nonce()) { binding in
            SessionStatusRequest(binding, epoch: epoch, sessionID: session.serverSession)
        }
    }

    private static func epoch(of session: WatchedSession) throws(MembersFailure) -> DeviceEpoch {
        guard let counter = Int(exactly: session.epoch.counter),
            let epoch = DeviceEpoch(id: session.epoch.id.description, counter: counter)
        else { throw .wrongType(ClaimName.epochCounter.rawValue) }
        return epoch
    }

    /// Queries the status and returns the server's answer.
    ///
    /// - Throws: the error that prevented an answer. It does not mean that the session has ended.
    @concurrent func status(_ session: WatchedSession) async throws -> SessionStatus {
        do {
            let epoch = try Self.epoch(of: session)
            let answer = try await device.answer { binding in
                SessionStatusRequest(binding, epoch: epoch, sessionID: session.serverSession)
            }
            return try SessionStatusRequest.status(decoding: answer)
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return .deviceUnknown
        }
    }
}

extension OAuthError {
    /// Whether the refusal means that the identity platform does not serve the organisation.
    var meansTenantUnknown: Bool { number == Self.unknownTenantNumber }
}

extension SessionStatus {
    /// The state of the device's registration that follows from the status.
    var registration: RegistrationStatus.State {
        switch self {
        case .live, .noSession, .ended, .staleEpoch: .good
        case .deviceDisabled: .disabled
        case .deviceUnknown: .removed
        }
    }

    /// The trigger that ends the session; nil if the session is valid.
    var trigger: SignOutTrigger? {
        switch self {
        case .live, .noSession: nil
        case .ended, .staleEpoch: .serverRevocation
        case .deviceDisabled: .deviceDisabled
        case .deviceUnknown: .deviceRemoved
        }
    }
}
