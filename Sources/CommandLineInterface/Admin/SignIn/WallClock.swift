// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The clock that tokens refer to.
package enum WallClock {
    /// Seconds since 1970.
    package static var seconds: Int { Glibc.time(nil) }
}
