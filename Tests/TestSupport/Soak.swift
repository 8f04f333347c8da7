// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether sweeps go through every case (`make soak` sets `BATON_SOAK`), and not through a part that stands for all.
package enum Soak {
    package static let isRunning = ProcessInfo.processInfo.environment["BATON_SOAK"] != nil
}
