// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import OAuth
internal import SwiftASN1
internal import Synchronization

/// Asks the identity platform, in the device's own name, how device and session stand; holds no worker's secret.
struct StandingAsker: Sendable {
    private let server: IdentityClient
    private let keys: DeviceKeys
    /// DER.
    private let certificate: [UInt8]
    private let join: JoinRecord
    private let now: @Sendable () -> Int

    /// Reads the device's keys; blocks on the disk.
    ///
    /// - Throws: ``DeviceStateDamaged``, or the reader's error for a certificate that cannot be read.
    init(join: JoinRecord, keys: KeyStore, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws {
        self.join = join
        self.keys = try DeviceKeys(in: keys)
        certificate = try PEMDocument(pemString: join.certificate).derBytes
        server = IdentityClient(https: https, loginURL: join.loginURL, tenant: join.tenantID)
        self.now = now
    }

    /// The signed question over a fresh nonce.
    @concurrent func question(_ session: WatchedSession) async throws -> String {
        try await question(session, nonce: try await server.nonce())
    }

    private func question(_ session: WatchedSession, nonce: String) async throws -> String {
        guard let counter = Int(exactly: session.epoch.counter),
            let epoch = DeviceEpoch(id: session.epoch.id, counter: counter)
        else { throw MembersFailure.wrongType(ClaimName.epochCounter.rawValue) }
        let question = SessionQuestion(
            audience: join.loginURL + EndpointPath.sessionState(tenant: join.tenantID), deviceID: join.deviceID,
            nonce: nonce, issuedAt: now(), epoch: epoch, sessionID: session.serverSession)
        return try await keys.using { [certificate] keys in
            try question.signed(with: keys.identity, certificate: certificate)
        }
    }

    /// Asks, and gives the server's definite word.
    ///
    /// - Throws: whatever kept the device from finding out, which says nothing about the session.
    @concurrent func standing(_ session: WatchedSession) async throws -> SessionStanding {
        do {
            let answer = try await server.post(to: EndpointPath.sessionState(tenant: join.tenantID)) { nonce in
                SessionQuestion.form(try await question(session, nonce: nonce))
            }
            return try SessionQuestion.standing(decoding: answer)
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return .deviceUnknown
        }
    }
}

extension SessionStanding {
    /// The door by which a worker has to leave; nil where the session is good.
    var door: Door? {
        switch self {
        case .live, .noSession: nil
        case .ended, .staleEpoch: .serverRevocation
        case .deviceDisabled: .deviceDisabled
        case .deviceUnknown: .deviceRemoved
        }
    }
}
