// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import CLinux
internal import Files
internal import Glibc

/// Checks the settings of the machine that Baton's guarantees depend on. Reads them from `/proc`, `/sys` and `/dev`
/// below `root`.
package struct HostFindings: Sendable {
    private let root: String

    /// - Parameter root: the folder to read instead of `/`; empty for the machine itself.
    package init(root: String = "") { self.root = root }

    package var all: [CheckResult] { [swap, corePattern, tpm] }

    /// Whether memory may be written to a disk unencrypted.
    package var swap: CheckResult {
        guard let table = text("/proc/swaps") else {
            return CheckResult(
                .host, .warning, code: "swap_unknown", message: "Cannot determine whether there is swap.")
        }
        let areas = table.split(separator: "\n").dropFirst().compactMap { line in
            line.split { $0 == " " || $0 == "\t" }.first.map(String.init)
        }
        let open = areas.filter { !isKeptFromDisk($0) }
        guard open.isEmpty else {
            return CheckResult(
                .host, .warning, code: "swap_unencrypted",
                message:
                    "Swap is on, and may be unencrypted: \(open.joined(separator: ", ")). The memory of browsers and "
                    + "apps may reach the disk; the broker's memory does not if systemd runs the broker.",
                remedy: "Turn it off (swapoff -a), encrypt it with a random key (crypttab), or use zram.")
        }
        return areas.isEmpty
            ? CheckResult(.host, .good, code: "swap_off", message: "There is no swap.")
            : CheckResult(.host, .good, code: "swap_encrypted", message: "Swap is encrypted, or in memory.")
    }

    /// Whether a swap area is encrypted by the device mapper, or is compressed memory without a backing disk.
    private func isKeptFromDisk(_ area: String) -> Bool {
        guard let name = area.split(separator: "/").last.map(String.init) else { return false }
        if name.hasPrefix("zram") { return trimmed("/sys/block/\(name)/backing_dev") ?? "none" == "none" }
        return trimmed("/sys/block/\(name)/dm/uuid")?.hasPrefix("CRYPT-") ?? false
    }

    /// Where the kernel writes the core dump of a crashed program.
    package var corePattern: CheckResult {
        guard let pattern = trimmed("/proc/sys/kernel/core_pattern") else {
            return CheckResult(
                .host, .warning, code: "core_unknown", message: "Cannot determine where core dumps go.")
        }
        guard pattern.hasPrefix("|") else {
            return CheckResult(
                .host, .good, code: "core_limited",
                message: "Core dumps are files, and each program's limit applies. Baton's programs set theirs to zero.")
        }
        return CheckResult(
            .host, .note, code: "core_piped",
            message:
                "Core dumps go to a program, whatever the limit. The session process is never dumped; apps and "
                + "browsers are.",
            remedy: "Turn the collector off for the session's user (coredump.conf: Storage=none).")
    }

    package var tpm: CheckResult {
        for device in ["/dev/tpmrm0", "/dev/tpm0"] where exists(device) {
            return CheckResult(.host, .good, code: "tpm_there", message: "The machine has a TPM (\(device)).")
        }
        return CheckResult(
            .host, .note, code: "tpm_missing",
            message: "The machine has no TPM: anyone who can read the broker's files as root can impersonate the "
                + "device.")
    }

    /// Whether the kernel's clock is synchronised with a time server (adjtimex(2)).
    package static var clock: CheckResult {
        guard clinux_clock_is_kept() == 1 else {
            return CheckResult(
                .clock, .note, code: "clock_unsynchronised",
                message: "The clock is not synchronised with a time server, according to the kernel.",
                remedy: "Run a time service, such as systemd-timesyncd or chrony.")
        }
        return CheckResult(
            .clock, .good, code: "clock_synchronised", message: "The clock is synchronised with a time server.")
    }

    private func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    private func text(_ path: String) -> String? {
        guard let bytes = try? AtomicFile(path: root + path).read(limit: 64 << 10) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func trimmed(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }
}
