// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Logging
import Processes
import TestSupport
import Testing

/// Two brokers with the same folder for sockets.
@Suite(.timeLimit(.minutes(10))) struct RuntimeLockTests {
    private func other(_ scratch: Scratch, runtime: String) -> SupervisorService {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return SupervisorService(
            configuration: SupervisorConfiguration(
                directory: scratch.path("other"), runtimeDirectory: runtime, trustRoots: "/none", resolve: [:],
                sessionUsers: [], checkInInterval: 900),
            device: SupervisorFixture.FakeDevice(), inputs: Mailbox<SupervisorInput>(), executable: "/bin/false",
            logger: logger, clock: HandClock().supervisorClock, watch: { _ in })
    }

    @Test func `a second broker does not take the first one's sockets, and can start when the first has ended`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                // The fixture's broker serves, so it holds the folder's lock.
                let before = try await fixture.status().session
                await #expect(throws: RuntimeDirectoryInUse(path: scratch.path("run"))) {
                    try await other(scratch, runtime: scratch.path("run")).run()
                }
                let after = try await fixture.status().session
                #expect(before == "ready" && after == "ready")
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let status = try await fixture.status()
                #expect(status.session == "ready")
            }
        }
    }
}
