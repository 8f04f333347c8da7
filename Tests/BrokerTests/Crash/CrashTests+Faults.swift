// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import SessionIPC
import Synchronization
import TestSupport
import Testing

/// Disks that fail.
extension CrashTests {
    /// With `BATON_SOAK`, the fault occurs at each call; otherwise a broken disk occurs at every third call, and the
    /// other faults at every seventh.
    private static let isSoak = ProcessInfo.processInfo.environment["BATON_SOAK"] != nil

    @Test(arguments: [FileFault.broken, .full, .readOnly])
    func `wherever the disk fails, the device recovers and keeps no data of the worker`(fault: FileFault) async throws {
        let stride: UInt64 = Self.isSoak ? 1 : fault == .broken ? 3 : 7
        try await Scratch.with { ready in
            // A device that has been ready before.
            try await SupervisorFixture.with(ready) { _ = try await $0.status() }
            var call: UInt64 = 1
            while try await Self.survives(fault, at: call, from: ready.path("device")) { call += stride }
            // There were enough calls for the fault to occur everywhere.
            #expect(call > 60)
        }
    }

    /// Runs a session in which the fault begins at the call with this number, and checks that the device recovers.
    ///
    /// - Returns: whether the session made that many calls.
    private static func survives(_ fault: FileFault, at call: UInt64, from ready: String) async throws -> Bool {
        try await Scratch.with { scratch in
            try FileManager.default.copyItem(atPath: ready, toPath: scratch.path("device"))
            let said = Said.List()
            let isHit = await fault.befalls(scratch.path("device"), call: call) {
                // If the supervisor cannot continue, it ends and is restarted, as a service manager would restart it.
                do { try await session(scratch, said) } catch let problem as TestProblem {
                    Issue.record("\(problem) at call \(call)")
                } catch {}
            }
            try await recover(scratch, after: said.all)
            return isHit
        }
    }

    /// Runs a whole session, or as much of it as the fault allows.
    private static func session(_ scratch: Scratch, _ said: Said.List) async throws {
        try await SupervisorFixture.with(scratch) { fixture in
            let agent = try fixture.agent(of: 1000)
            fixture.sessionProcessSends(.signInRequested(requestID: 1))
            fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            // Only a running supervisor answers a status request. If the supervisor has ended, the request throws.
            guard try await fixture.status().session == "signingIn" else { throw TestProblem("nobody signs in") }
            guard case .open(_, let epoch, _, _) = try await agent.order() else { throw TestProblem("no browser") }
            guard case .signingIn(let session) = try files.journal() else { throw TestProblem("nobody signs in") }
            fixture.sessionProcessSends(.sessionKnown(EndedSession(serverSession: "s1", epoch: session)))
            _ = try await fixture.status()
            said.add(Said.sessionOpened)
            fixture.sessionProcessSends(.tokenWanted(until: 1_795_245_000))
            fixture.sessionProcessSends(.signInSucceeded)
            guard try await fixture.status().session == "signedIn" else { throw TestProblem("not signed in") }
            said.add(Said.signedIn)
            fixture.order(.signOut(fromBrowser: false))
            guard try await fixture.status().session == "signingOut" else { throw TestProblem("not signing out") }
            said.add(Said.committed)
            agent.say(.closed(epoch: epoch))
            if try await fixture.status().session == "signingOut" {
                // The supervisor waits, reports why, retries, and continues once the disk works again.
                #expect(try await !fixture.status().problems.isEmpty)
                fixture.clock.pass(.seconds(1))
                _ = try await fixture.status()
                FileFault.mend()
                fixture.clock.pass(.seconds(1))
            }
            guard try await fixture.status().session == "ready" else { throw TestProblem("not ready") }
            said.add(Said.signedOut)
        }
    }
}

extension CrashTests.Said {
    /// The texts that have been acknowledged so far.
    final class List: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock(\.self) }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }
}
