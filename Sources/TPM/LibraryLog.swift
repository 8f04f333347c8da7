// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The library writes each refusal of the chip to standard error; what matters of it comes as a failure.
enum LibraryLog {
    private static let silenced: Void = {
        // An operator who has set it wants to read it.
        _ = unsafe setenv("TSS2_LOG", "all+none", 0)
    }()

    /// Before the library is first used.
    static func silence() { silenced }
}
