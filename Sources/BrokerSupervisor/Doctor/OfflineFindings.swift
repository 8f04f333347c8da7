// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
package import Files
package import SessionIPC

/// Checks the device's leases for offline sign-in. Does not open a lease; the findings contain no names.
package struct OfflineFindings: Sendable {
    private let folder: Directory
    private let count: LeaseCount?

    /// - Parameters:
    ///   - folder: the folder of the leases.
    ///   - count: the session process's last count of the leases; nil if it has not counted them yet.
    package init(folder: Directory, count: LeaseCount?) { (self.folder, self.count) = (folder, count) }

    /// The findings about the lease files. Blocks on the disk.
    package var all: [CheckResult] {
        let ids: [String]
        do { ids = try LeaseFile.ids(in: folder) } catch { return [FileFindings.closed(folder.path)] }
        guard !ids.isEmpty else {
            return [
                CheckResult(
                    .offline, .good, code: "offline_none", message: "Nobody can sign in here without the server.")
            ]
        }
        guard let count, count.leases == ids.count else { return [Self.unread(ids.count)] }
        return [Self.status(count)] + (count.pinsInFiles > 0 ? [Self.withoutTPM(count.pinsInFiles)] : [])
    }

    private static func status(_ count: LeaseCount) -> CheckResult {
        guard count.mayBegin else {
            return CheckResult(
                .offline, .warning, code: "offline_clock_set_back",
                message:
                    "Leases for signing in without the server: \(count.leases). Nobody can sign in with them, because "
                    + "the clock was set back.",
                remedy: "Correct the clock, and connect the device to its server.")
        }
        return CheckResult(
            .offline, .good, code: "offline_leases",
            message: "Leases for signing in without the server: \(count.leases), with a PIN: \(count.pins).")
    }

    private static func unread(_ number: Int) -> CheckResult {
        CheckResult(
            .offline, .warning, code: "offline_unread",
            message: "Leases for signing in without the server: \(number). The broker has not read them.",
            remedy: "Try again in a moment; if this persists, look at the broker's log.")
    }

    private static func withoutTPM(_ number: Int) -> CheckResult {
        CheckResult(
            .offline, .warning, code: "offline_pin_without_tpm",
            message: "PINs that no TPM protects: \(number). Anyone who has a copy of the disk can guess them without "
                + "limit.",
            remedy:
                "Name the device's TPM with tpm in batond.json (docs/keys.md), or turn such PINs off: baton admin "
                + "offline on without --pin-without-tpm.")
    }
}
