// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// What protects the device's own keys; says nothing of the keys themselves.
package struct KeyFindings: Sendable {
    private let keys: Directory

    /// - Parameter state: the folder of the device's state.
    package init(state: Directory) { keys = DeviceFiles(root: state).keys }

    /// Looks which files there are. Blocks on the disk.
    package var all: [CheckResult] {
        let names: [String]
        do throws(FileError) { names = try keys.names() } catch { return [FileFindings.closed(keys.path)] }
        let plain = names.filter { $0.hasSuffix(".pem") || $0.hasSuffix(".key") }
        let inChip = names.contains { $0.hasSuffix(KeyStore.platformSuffix) }
        switch (plain.isEmpty, inChip) {
        case (true, false): return []
        case (true, true):
            return [CheckResult(.files, "keys_in_tpm", .good, "The device's keys are in its TPM, and cannot leave it.")]
        case (false, true):
            return [
                CheckResult(
                    .files, "keys_partly_in_tpm", .note,
                    "The device has a TPM, and keys in files from before: \(plain.joined(separator: ", ")).",
                    remedy: "Join the device anew; its receipt key changes only with: baton device recover.")
            ]
        case (false, false):
            return [
                CheckResult(
                    .files, "keys_in_files", .note,
                    "The device's keys are files: whoever is root on it, or has its disk, can copy them.",
                    remedy: "Where it has a TPM, name it with tpm in batond.json (docs/keys.md).")
            ]
        }
    }
}
