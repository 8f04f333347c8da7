// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// The home screen during an upgrade. The test is its broker.
@Suite struct HomeUpgradeTests {
    @Test func `a home screen whose program was replaced ends when nobody is signed in`() async throws {
        try await Scratch.with { scratch in
            let installed = try InstalledProgram("baton", in: scratch)
            try FileManager.default.createDirectory(
                atPath: scratch.path("run"), withIntermediateDirectories: false)
            let listener = try Listener(path: scratch.path("run/status.sock"), mode: 0o600)
            let home = try await RunningProgram.start(
                installed.path, ["home", "--address-only", "--runtime-directory", scratch.path("run")],
                environment: ["BATON_MARKER": scratch.path("managed")], log: "home.log", in: scratch)
            /// Sends a state on a new connection of the home screen, and ends the connection.
            func report(_ stage: DeviceState.Stage) async throws {
                let channel = FramedJSON<DeviceState, DeviceState>(
                    try await blocking { try listener.accept() }, limits: Wire.statusLimits)
                try channel.send(DeviceState(stage: stage, reason: "shared"))
                channel.connection.shutDown()
            }
            // The home screen reconnects only after it has handled the former state, so it still runs when a report
            // reaches it.
            try await report(.ready)
            try await report(.signedIn)
            try installed.replace()
            try await report(.signedIn)
            try await report(.ready)
            #expect(try await home.waitForExit() == 0)
        }
    }
}
