// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Silences the library, which writes each refusal of the chip to standard error. The failures report what matters.
enum LibraryLog {
    private static let silenced: Void = {
        // Does not overwrite the variable: an operator who has set it wants the log.
        _ = unsafe setenv("TSS2_LOG", "all+none", 0)
    }()

    /// Must be called before the library is first used.
    static func silence() { silenced }
}
