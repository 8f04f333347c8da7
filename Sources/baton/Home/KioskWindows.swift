// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes

/// The windows of the kiosk session, which sway manages.
enum KioskWindows {
    /// Brings the home screen to the front. `kiosk.conf` gives the home screen's window the mark `baton-home`. Blocks
    /// briefly. Has no effect in a session without sway.
    static func showHome() {
        let process = try? ChildProcess.spawn(
            executable: "/usr/bin/swaymsg", arguments: ["--quiet", "[con_mark=\"^baton-home$\"] focus"],
            environment: ProcessInfo.processInfo.environment, output: .discarded)
        _ = try? process?.waitForExit()
    }
}
