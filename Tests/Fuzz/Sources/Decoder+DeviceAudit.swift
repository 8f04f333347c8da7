// SPDX-License-Identifier: Apache-2.0
import DeviceAudit

extension Decoder {
    /// A snapshot that `baton device audit --save` wrote. A snapshot that was read survives writing and reading again,
    /// and does not differ from itself.
    func feedAudit(_ bytes: [UInt8]) {
        guard let snapshot = try? AuditSnapshot(lines: bytes) else { return }
        let again = (try? snapshot.lines()).flatMap { try? AuditSnapshot(lines: $0) }
        check(again == snapshot, "a snapshot changes when written")
        let scope = AuditScope(
            state: "/var/lib/baton/device", profiles: "/run/user/1000/baton", users: [], programs: "/usr/bin",
            skipped: [])
        check(AuditReport(from: snapshot, to: snapshot, scope: scope).groups.isEmpty, "a device differs from itself")
    }
}
