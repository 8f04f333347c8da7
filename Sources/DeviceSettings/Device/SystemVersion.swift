// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The kernel's version, which the device reports as its system version. The device never claims to be another system.
package enum SystemVersion {
    package static var current: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "unknown" }
        return unsafe withUnsafeBytes(of: &name.release) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
