// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Silences the library, which logs each refusal by the chip to standard error. The thrown errors contain the relevant
/// details.
enum LibraryLog {
    private static let silenced: Void = {
        // Does not overwrite the variable: an operator who has set it wants the log.
        _ = unsafe setenv("TSS2_LOG", "all+none", 0)
    }()

    /// Must be called before the library is first used.
    static func silence() { silenced }
}
