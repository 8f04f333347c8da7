// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Silences the TPM2 Software Stack, which logs each refusal by the TPM to standard error. The thrown errors contain
/// the relevant details.
enum LibraryLog {
    private static let silenced: Void = {
        // Does not overwrite the variable: an operator who has set it wants the log.
        _ = unsafe setenv("TSS2_LOG", "all+none", 0)
    }()

    /// Must be called before the first use of the TPM2 Software Stack.
    static func silence() { silenced }
}
