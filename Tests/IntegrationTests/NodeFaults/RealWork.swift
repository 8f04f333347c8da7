// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import MSAL
import TestSupport
import Testing

/// What a worker does on a real device, through an app.
struct RealWork: Sendable {
    let device: RealDevice
    let checker: FaultChecker
    private let app: App
    var random: SeededGenerator
    private var account: MSALAccount?
    /// Whether a revocation of the session got no answer, so that the session may end at any time.
    private var isDoubtful = false

    init(_ device: RealDevice, checker: FaultChecker, random: SeededGenerator) throws {
        (self.device, self.checker, self.random) = (device, checker, random)
        app = try device.app()
    }

    /// The worker signs in.
    mutating func begin() async throws { account = try await device.signIn(app) }

    /// Gets a token silently, trying again until there is an answer.
    ///
    /// - Returns: how long it took.
    func renews() async throws -> Duration {
        let began = ContinuousClock.now
        let account = try #require(account)
        while true {
            do {
                _ = try await app.token(of: account, refreshed: true)
                return ContinuousClock.now - began
            } catch {
                let seen = Seen(error)
                guard !seen.asksForSignIn, ContinuousClock.now - began < .seconds(60) else {
                    throw TestProblem("\(device.name) after \(ContinuousClock.now - began): \(seen)")
                }
            }
        }
    }

    /// Works until faults are over. Then signs out, and waits until the server knows.
    mutating func run() async throws {
        while !checker.isClosing {
            try await Task.sleep(for: random.duration(500...2500))
            await step()
        }
        try await settle()
    }

    private func attempt<Value>(
        _ operation: FaultOperation, _ body: () async throws -> Value
    ) async -> Outcome<Value> {
        let began = ContinuousClock.now
        let outcome: Outcome<Value>
        do { outcome = .done(try await body()) } catch {
            let seen = Seen(error)
            outcome = seen.asksForSignIn ? .refused(seen.text) : .unknown(seen.text)
        }
        checker.count(operation, outcome, of: device.name, began: began)
        return outcome
    }

    private mutating func step() async {
        guard let account else {
            self.account = await attempt(.realSignIn) { [app, device] in try await device.signIn(app) }.value
            isDoubtful = false
            return
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<75: await renew(account)
        case 75..<88: await signOut(account)
        default: await revoke(at: Int.random(in: 0..<FaultCluster.nodeCount, using: &random))
        }
    }

    private mutating func renew(_ account: MSALAccount) async {
        let outcome = await attempt(.realToken) { [app] in
            _ = try await app.token(of: account, refreshed: true)
        }
        guard case .refused(let reason) = outcome else { return }
        if !isDoubtful {
            checker.history {
                $0.broke(Violation(.keptWrite, "\(device.name): the worker has to sign in again: \(reason)"))
            }
        }
        self.account = nil
    }

    private mutating func signOut(_ account: MSALAccount) async {
        let outcome = await attempt(.realSignOut) { [app] in _ = try await app.signOut(account) }
        // The sign-out needs no server.
        if case .unknown(let reason) = outcome, !isDoubtful {
            checker.history { $0.broke(Violation(.convergence, "\(device.name): the sign-out failed: \(reason)")) }
        }
        self.account = nil
    }

    /// Revokes the worker's sessions at a node. The device must sign the worker out by itself.
    private mutating func revoke(at node: Int) async {
        let path = IdentityAdmin.revokeUserSessions(["tenant": device.cluster.tenant, "user": device.user]).path
        let began = ContinuousClock.now
        let outcome = await device.cluster.administer("DELETE", path, at: node)
        checker.count(.revocation, outcome, of: "administrator of \(device.name) \(began)", began: began)
        guard outcome.isDone else {
            isDoubtful = isDoubtful || outcome.isUnknown
            return
        }
        account = nil
        do { try await device.folder.journal { $0 != "signedIn" } } catch {
            checker.history { $0.broke(Violation(.convergence, "\(device.name) does not sign out: \(error)")) }
        }
    }

    private mutating func settle() async throws {
        if let account { await signOut(account) }
        try await device.folder.untilReported()
        try await device.checkIn()
        let managed: MDMAdmin.Device = try await device.cluster.read(
            MDMAdmin.getManagedDevice(["tenant": device.cluster.tenant, "device": device.name]).path)
        let sessions: [IdentityAdmin.Session] = try await device.cluster.read(
            IdentityAdmin.listSessions(["tenant": device.cluster.tenant], query: [("user", device.user)]).path)
        let bound = sessions.filter { $0.device != nil }
        guard managed.waiting > 0 || !bound.isEmpty else { return }
        checker.history {
            $0.broke(
                Violation(
                    .convergence,
                    "\(device.name): \(managed.waiting) commands wait, \(bound.count) sessions have not ended"))
        }
    }
}

extension Seen {
    /// Whether the worker has to sign in again.
    fileprivate var asksForSignIn: Bool { code == .interactionRequired }
}
