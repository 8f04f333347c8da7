// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import OAuth
internal import Processes
internal import Redaction
internal import SessionIPC
internal import SwiftASN1
internal import X509

/// The registration of the device in a directory, by an administrator who signs in on this device.
struct JoinAttempt: Sendable {
    let attempts: SignInAttempts
    let network: SessionNetwork
    let supervisor: SupervisorLink
    let files: DeviceFiles
    /// The queue for making and writing keys.
    let disk: BlockingQueue

    /// Registers the device as an operator ordered. The supervisor ends this process afterwards.
    func start(_ order: JoinOrder) {
        let attempt: SignInAttempt
        do throws(BrokerError) { attempt = try attempts.begin() } catch {
            return supervisor.tell(.signInFailed(OperatorFailure(error)))
        }
        Task {
            do {
                supervisor.tell(.joined(try await attempt.inTime { try await run(order, in: attempt) }))
            } catch let failure as OperatorFailure {
                supervisor.tell(.signInFailed(failure))
            } catch {
                supervisor.tell(.signInFailed(OperatorFailure(BrokerError(reading: error))))
            }
        }
    }

    /// Signs the administrator in, registers the device as a shared device, and returns the registration to store.
    ///
    /// The key files are on disk before the directory receives the keys, and the directory's answer is on disk before
    /// that answer is reported. A join that failed leaves its keys on disk, and the next join uses them: the directory
    /// accepts the same key for the same device.
    ///
    /// - Throws: ``OperatorFailure`` if the directory refuses the registration; ``BrokerError``, ``HTTPSError``.
    private func run(_ order: JoinOrder, in attempt: SignInAttempt) async throws -> JoinRecord {
        let https = try network.https()
        let server = IdentityClient(https: https, loginURL: order.loginURL, tenant: order.tenant)
        let scope = WellKnownApplication.deviceRegistration + Scopes.defaultSuffix
        let signIn = InteractiveSignIn(
            server: server, scopes: Scopes([Scopes.openID, Scopes.profile, Scopes.offlineAccess, scope]))
        let tokens = try await signIn.run(in: attempt)
        let keys = try await disk.run { [files] in try DeviceKeys.leftOrMade(in: files.keyStore) }
        Failpoint.joinKeysMade.reach()
        let reply = try await register(keys, by: order, token: tokens.accessToken, over: https)
        Failpoint.joinRegistered.reach()
        let record = try Self.record(reply, of: order, tenantID: try Self.tenantID(in: tokens.accessToken))
        try await disk.run { [files] in try files.write(confirmed: record) }
        Failpoint.joinConfirmed.reach()
        return record
    }

    private func register(
        _ keys: DeviceKeys, by order: JoinOrder, token: Sensitive<String>, over https: any HTTPSending
    ) async throws -> JoinReply {
        let request = JoinRequest(
            certificateRequest: try await keys.using { try Self.certificateRequest($0) },
            transportKey: TransportKey(try JSONWebKey(keys.transportPublicKey())),
            targetDomain: order.tenant, deviceType: "Linux", operatingSystemVersion: SystemVersion.current,
            displayName: order.deviceName, isShared: true)
        let response = try await https.send(
            .init(
                method: "POST", url: order.registrationURL + EndpointPath.registration + "?api-version=2.0",
                headers: [("Content-Type", "application/json"), ("Authorization", "Bearer " + token.exposed)],
                body: try request.encoded()))
        guard response.status == 200 else { throw Self.refusal(response) }
        return try JoinReply(decoding: response.body)
    }

    private static func certificateRequest(_ keys: DeviceKeys.Held) throws -> [UInt8] {
        let name = try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) }
        let request = try CertificateSigningRequest(
            version: .v1, subject: name, privateKey: Certificate.PrivateKey(keys.identity),
            attributes: .init(), signatureAlgorithm: .sha256WithRSAEncryption)
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        return serializer.serializedBytes
    }

    private static func record(_ reply: JoinReply, of order: JoinOrder, tenantID: String) throws -> JoinRecord {
        let certificate = try Certificate(derEncoded: reply.certificate)
        return JoinRecord(
            tenantID: tenantID, deviceID: certificate.commonName, loginURL: order.loginURL,
            certificate: PEMDocument(type: "CERTIFICATE", derBytes: reply.certificate).pemString,
            thumbprint: reply.thumbprint, deviceName: order.deviceName)
    }

    /// The id of the tenant that issued the administrator's token. The order may name the tenant by a domain instead.
    private static func tenantID(in token: Sensitive<String>) throws -> String {
        try CompactJWS(token.exposed).claims().string(ClaimName.tenantID)
    }

    private static func refusal(_ response: HTTPSClient.Response) -> OperatorFailure {
        let error = (try? Members(decoding: response.body)).flatMap(RegistrationError.init)
        let remedy =
            response.status == 403
            ? "Ask a Cloud Device Administrator of the organisation to join the device."
            : "Look at the identity platform's log."
        return OperatorFailure(
            code: error?.code.rawValue ?? "join_refused_\(response.status)",
            message: error?.message ?? "The directory refused the join with status \(response.status).", remedy: remedy)
    }
}

extension OperatorFailure {
    init(_ error: BrokerError) {
        self.init(
            code: "broker_\(error.code.rawValue)", message: error.message,
            remedy: "Follow the message, then try again.")
    }
}
