// SPDX-License-Identifier: Apache-2.0
import Storage

extension MDMBench {
    /// Adds `size` enrolled devices, each with its identity, three finished commands and its inventory.
    func fill(_ size: Int) async throws { try await database.fill(statements(1...size, now: .now)) }

    private func statements(_ numbers: ClosedRange<Int>, now: Timestamp) -> [SQL] {
        let size = numbers.upperBound
        let (udid, enrollment) = (bulkID(.udid, size: size), bulkID(.enrollment, size: size))
        let own: SQL = "\(tenant)"
        var all: [SQL] = [
            rows(
                numbers, in: "enrollment",
                [
                    "tenant": own, "id": enrollment, "name": "'ward-' || n", "state": "'bound'", "udid": udid,
                    "fingerprint": "printf('%08x', n * 4294967295 / \(size)) || lower(hex(randomblob(28)))",
                    "createdAt": "\(now)",
                    "expiresAt": "\(now + .seconds(397 * 86_400))",
                ]),
            rows(
                numbers, in: "device",
                [
                    "tenant": own, "udid": udid, "enrollment": enrollment, "name": "'ward-' || n",
                    "state": "'enrolled'", "productName": "'Linux'", "osVersion": "'12'",
                    "serialNumber": "hex(randomblob(6))", "token": "randomblob(32)",
                    "pushMagic": "hex(randomblob(16))", "changedAt": "\(now)", "dueInventory": "0",
                ]),
        ]
        for position in 1...3 {
            all.append(
                rows(
                    numbers, in: "command",
                    [
                        "tenant": own, "udid": udid, "position": "\(position)", "uuid": "hex(randomblob(16))",
                        "requestType": "'ProfileList'", "body": "x''", "state": "'acknowledged'",
                        "enqueuedAt": "\(now)", "finishedAt": "\(now)", "result": "randomblob(600)",
                    ]))
        }
        for item in ["wifi", "baton"] {
            all.append(
                rows(
                    numbers, in: "heldProfile",
                    [
                        "tenant": own, "udid": udid, "identifier": "\("org.contoso." + item)",
                        "uuid": "hex(randomblob(16))",
                    ]))
            all.append(
                rows(
                    numbers, in: "heldApp",
                    [
                        "tenant": own, "udid": udid, "identifier": "\("org.contoso." + item)", "state": "'Managed'",
                        "hasConfiguration": "1",
                    ]))
        }
        return all
    }
}
