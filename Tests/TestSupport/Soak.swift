// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether tests go through every case (`make soak` sets `BATON_SOAK`) instead of a representative part.
package enum Soak {
    package static let isRunning = ProcessInfo.processInfo.environment["BATON_SOAK"] != nil
}
