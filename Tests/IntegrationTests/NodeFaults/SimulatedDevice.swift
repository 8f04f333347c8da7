// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Glibc
import OAuth
import Processes
import PushProtocol
import Redaction
import SwiftASN1
import Synchronization
import TestSupport
import X509

/// A device without the broker's process: it has a device's keys and certificates, and sends a device's requests.
final class SimulatedDevice: Sendable {
    let name: String
    let user: String
    let cluster: FaultCluster
    let checker: FaultChecker
    /// Signs with the device's key and sends through HAProxy to any node.
    let signer: DeviceCallSigner
    let management: SimulatedMDM

    /// What other tasks may see of the device.
    struct Seen: Sendable {
        var session: SimulatedSession?
        /// The last few sessions before `session`.
        var former: [SimulatedSession] = []
        /// The node that holds the push channel.
        var pushNode: Int?
        var isNudged = false
        /// The device's epoch, which begins with 1 and grows with each sign-in.
        var counter = 0
    }

    let seen = Mutex(Seen())
    /// The moments at which nudges arrived.
    let nudges: AsyncStream<ContinuousClock.Instant>
    private let nudge: AsyncStream<ContinuousClock.Instant>.Continuation

    /// Makes the device's keys, joins the directory and enrolls with the MDM.
    ///
    /// - Parameter token: an access token for device registration.
    init(number: Int, with token: String, at cluster: FaultCluster, checker: FaultChecker) async throws {
        (self.cluster, self.checker, name) = (cluster, checker, "simulated-\(number)")
        (nudges, nudge) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        user = try cluster.add(user: "worker\(number)")
        let store = KeyStore(directory: Directory(path: cluster.scratch.path("keys-\(number)")), platform: nil)
        let keys = try await blocking { try DeviceKeys.make(in: store) }
        let https = try cluster.client()
        let join = try await Self.join(keys, named: name, with: token, over: https, at: cluster)
        signer = try DeviceCallSigner(join: join, keys: keys, https: https, now: { Int(time(nil)) })
        management = try await SimulatedMDM(named: name, at: cluster)
    }

    private static func join(
        _ keys: DeviceKeys, named name: String, with token: String, over https: HTTPSClient, at cluster: FaultCluster
    ) async throws -> JoinRecord {
        let certificateRequest = try await keys.using { keys in
            let subject = try DistinguishedName { CommonName(JoinRequest.certificateRequestCommonName) }
            var der = DER.Serializer()
            try der.serialize(
                CertificateSigningRequest(
                    version: .v1, subject: subject, privateKey: Certificate.PrivateKey(keys.identity),
                    attributes: .init(), signatureAlgorithm: .sha256WithRSAEncryption))
            return der.serializedBytes
        }
        let request = JoinRequest(
            certificateRequest: certificateRequest,
            transportKey: TransportKey(try JSONWebKey(keys.transportPublicKey())),
            targetDomain: FaultCluster.domain, deviceType: "Linux", operatingSystemVersion: "12", displayName: name,
            isShared: true)
        let response = try await https.send(
            .init(
                method: "POST", url: cluster.registrationURL + EndpointPath.registration + "?api-version=2.0",
                headers: [("Content-Type", "application/json"), ("Authorization", "Bearer " + token)],
                body: try request.encoded()))
        try RequestRefusal.check(response, is: 200, "the join")
        let reply = try JoinReply(decoding: response.body)
        return JoinRecord(
            tenantID: cluster.tenant, deviceID: try Certificate(derEncoded: reply.certificate).commonName,
            loginURL: cluster.loginURL,
            certificate: PEMDocument(type: "CERTIFICATE", derBytes: reply.certificate).pemString,
            thumbprint: reply.thumbprint, deviceName: name)
    }

    /// Returns the present epoch. With `next`, first makes the epoch of the next sign-in the present one.
    func epoch(next: Bool = false) throws -> DeviceEpoch {
        let counter = seen.withLock { seen in
            if next { seen.counter += 1 }
            return seen.counter
        }
        guard let epoch = DeviceEpoch(id: String(repeating: "0123456789abcdef", count: 2), counter: counter) else {
            throw TestProblem("the epoch is malformed")
        }
        return epoch
    }

    func requests(_ session: SimulatedSession) -> SessionRequests {
        SessionRequests(cluster: cluster, device: signer, session: session)
    }

    /// Signs the device's worker in, in a new epoch.
    func signIn() async throws -> SimulatedSession {
        let epoch = try epoch(next: true)
        let page = SimulatedSignIn(cluster: cluster, server: signer.server, user: user)
        let tokens = try await page.tokens(scopes: [Scopes.openID, Scopes.profile, Scopes.offlineAccess])
        let proof = Sensitive(try tokens.string(ReplyName.refreshToken))
        let nonces = NonceStore()
        let answer = try await signer.server.post(with: nonces) { [signer] nonce in
            let request = PrimaryRefreshToken.IssueRequest(nonce: nonce, proof: .refreshToken(proof), epoch: epoch)
            return try await signer.keys.using { keys in
                PrimaryRefreshToken.form(
                    request: try request.signed(with: keys.identity, certificate: signer.certificate))
            }
        }
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer)
        let key = try await signer.keys.using { keys in try reply.sessionKey { try keys.decrypt($0) } }
        guard let id = reply.sessionID else { throw TestProblem("the PRT has no session") }
        return SimulatedSession(id: id, epoch: epoch, primary: reply.token, key: key, nonces: nonces)
    }

    // MARK: - The push channel

    /// Keeps a push channel open to one node after the other, until the task is cancelled.
    func holdPush(_ random: SeededGenerator) async {
        var random = random
        while !Task.isCancelled {
            let node = Int.random(in: 0..<FaultCluster.nodeCount, using: &random)
            do { try await openPush(to: node) } catch {
                // The node may be dead; the next attempt is made at another one.
            }
            seen.withLock { $0.pushNode = nil }
            do { try await Task.sleep(for: random.duration(500...1000)) } catch { return }
        }
    }

    private func openPush(to node: Int) async throws {
        let session = seen.withLock(\.session)
        let epoch = try session?.epoch ?? epoch()
        let question = try await signer.signed(over: try await signer.server.nonce()) { binding in
            SessionStatusRequest(binding, epoch: epoch, sessionID: session?.id)
        }
        // Two and a half of the server's intervals.
        let client = try cluster.client(onlyTo: node, identity: management.identity, readTimeout: .seconds(75))
        let outcome = await Outcome(catching: {
            try await management.listen(over: client, question: question) { [self] message in
                take(message, from: node)
            }
        })
        await client.shutdown()
        if case .refused(let reason) = outcome, !reason.contains("503") {
            checker.history { $0.broke(Violation(.keptWrite, "\(name): \(reason)")) }
        }
    }

    private func take(_ message: PushMessage, from node: Int) {
        switch message {
        case .present(let present):
            seen.withLock { seen in
                seen.pushNode = node
                seen.isNudged = seen.isNudged || present.hasCommands
            }
        case .nudge:
            seen.withLock { $0.isNudged = true }
            nudge.yield(.now)
        case .alive, .unknown: break
        }
    }
}
