// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceKeyStore
internal import DeviceSettings
package import Files

/// Checks how the device's own keys are stored. Reads only file names, never keys.
package struct KeyFindings: Sendable {
    private let keys: Directory

    /// - Parameter state: the folder of the device's state.
    package init(state: Directory) { keys = DeviceFiles(root: state).keys }

    /// Where the keys are stored.
    package enum Place: String, Sendable { case files, tpm, partly }

    private var names: [String] { get throws(FileError) { try keys.names() } }

    private static func isPlain(_ name: String) -> Bool { name.hasSuffix(".pem") || name.hasSuffix(".key") }

    /// Where the keys are stored; nil if there are none or the folder cannot be read. Blocks on the disk.
    package var place: Place? { (try? names).flatMap(Self.place) }

    private static func place(_ names: [String]) -> Place? {
        let isInChip = names.contains { $0.hasSuffix(KeyStore.platformSuffix) }
        guard names.contains(where: isPlain) else { return isInChip ? .tpm : nil }
        return isInChip ? .partly : .files
    }

    /// The findings about the key files. Blocks on the disk.
    package var all: [CheckResult] {
        let names: [String]
        do throws(FileError) { names = try self.names } catch { return [FileFindings.closed(keys.path)] }
        switch Self.place(names) {
        case nil: return []
        case .tpm:
            return [
                CheckResult(
                    .files, .good, code: "keys_in_tpm",
                    message: "The device's keys are in its TPM, and cannot leave it.")
            ]
        case .partly:
            let plain = names.filter(Self.isPlain).joined(separator: ", ")
            return [
                CheckResult(
                    .files, .note, code: "keys_partly_in_tpm",
                    message: "The device has a TPM, but these older keys are files: \(plain).",
                    remedy: "Join the device again; its receipt key changes only with: baton device recover.")
            ]
        case .files:
            return [
                CheckResult(
                    .files, .note, code: "keys_in_files",
                    message: "The device's keys are files: anyone who has root access to the device, or has its disk, "
                        + "can copy them.",
                    remedy: "If the device has a TPM, name it with tpm in batond.json (docs/keys.md).")
            ]
        }
    }
}
