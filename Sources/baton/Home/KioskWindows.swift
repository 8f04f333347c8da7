// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes

/// The windows of the kiosk session, which sway manages.
enum KioskWindows {
    /// Brings the home screen to the front. `kiosk.conf` gives its window the mark. Blocks briefly; a session without sway
    /// stays as it is.
    static func showHome() {
        let process = try? ChildProcess.spawn(
            executable: "/usr/bin/swaymsg", arguments: ["--quiet", "[con_mark=\"^baton-home$\"] focus"],
            environment: ProcessInfo.processInfo.environment, output: .discarded)
        _ = try? process?.waitForExit()
    }
}
