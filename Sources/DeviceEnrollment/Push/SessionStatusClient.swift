// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import OAuth

/// Asks the identity platform, in the device's own name, how device and session stand; holds no worker's secret.
struct SessionStatusClient: Sendable {
    private let device: DeviceCallSigner

    /// Reads the device's keys; blocks on the disk.
    ///
    /// - Throws: ``DeviceStateDamaged``, or the reader's error for a certificate that cannot be read.
    init(join: JoinRecord, keys: KeyStore, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws {
        device = try DeviceCallSigner(join: join, keys: try DeviceKeys(in: keys), https: https, now: now)
    }

    /// The signed question over a fresh nonce.
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

    /// Asks, and gives the server's definite word.
    ///
    /// - Throws: whatever kept the device from finding out, which says nothing about the session.
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
    /// Whether the refusal says that the identity platform does not serve the organisation.
    var meansTenantUnknown: Bool { number == Self.unknownTenantNumber }
}

extension SessionStatus {
    /// What the status says of the device's registration.
    var registration: RegistrationStatus.State {
        switch self {
        case .live, .noSession, .ended, .staleEpoch: .good
        case .deviceDisabled: .disabled
        case .deviceUnknown: .removed
        }
    }

    /// The trigger that ends the session; nil if the session is good.
    var trigger: SignOutTrigger? {
        switch self {
        case .live, .noSession: nil
        case .ended, .staleEpoch: .serverRevocation
        case .deviceDisabled: .deviceDisabled
        case .deviceUnknown: .deviceRemoved
        }
    }
}
