// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// A screen reader in the session of a device, which reads the windows over the accessibility bus.
    @Suite struct ScreenReaderTests {
        @Test func `a screen reader reads the sign-in window`() async throws {
            let live = try await LiveEnvironment.ready()
            try await Scratch.with { scratch in
                let bus = try await MessageBus.start(in: scratch)
                try await live.withConfiguredBrowser(signIn: .chromium, on: bus) { display in
                    let app = try live.app(1)
                    async let refusal = seen { try await app.signIn() }
                    try await read("Password", on: display, bus, in: scratch)
                    let person = try await live.runAside(
                        program: "/usr/bin/env",
                        [
                            "DISPLAY=" + display, "/usr/bin/python3",
                            Repository.root + "/Tests/Person/close_window.py", "^Sign in$",
                        ])
                    #expect(try await person.waitForExit() == 0)
                    #expect(try await refusal.code == .userCanceled)
                    try await live.settle()
                }
            }
        }

        @Test func `a screen reader reads the worker's browser if the administrator permits it`() async throws {
            let live = try await LiveEnvironment.ready()
            try await Scratch.with { scratch in
                let bus = try await MessageBus.start(in: scratch)
                try await live.withConfiguredBrowser(on: bus) { display in
                    try await live.signIn("Amara", through: live.app(1))
                    let run = try await CommandRun(["browser", "--runtime-directory", live.path("run")], in: scratch)
                    #expect(run.code == 0, "\(run.errors)")
                    // The bar for addresses.
                    try await read("Address and search bar", on: display, bus, in: scratch)
                    try await live.settle()
                }
            }
        }

        private func read(_ text: String, on display: String, _ bus: String, in scratch: Scratch) async throws {
            let reader = try await RunningProgram.start(
                "/usr/bin/python3", ["-W", "ignore", Repository.root + "/Tests/Person/home_window.py", "reads", text],
                environment: ["DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": bus], log: "reader.log",
                awaitsReady: false, in: scratch)
            let code = try await reader.waitForExit()
            let said = try reader.log()
            #expect(code == 0, "\(said)")
        }
    }
}
