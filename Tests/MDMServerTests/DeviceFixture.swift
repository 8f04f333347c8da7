// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What a version of the device sends to its management server, from `Tests/Fixtures/devices`.
struct DeviceFixture {
    /// The keys of each check-in message, by its type.
    private(set) var checkIns: [String: Set<String>] = [:]
    /// The keys of the result of each command, and of the message with the status `Idle`, by the command's type.
    private(set) var results: [String: Set<String>] = [:]

    init(version: String) throws {
        let file = URL(filePath: Repository.root + "/Tests/Fixtures/devices/\(version).json")
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        for exchange in content?["exchanges"] as? [[String: Any]] ?? [] {
            guard let message = exchange["plist"] as? [String: Any] else { continue }
            if let type = message["MessageType"] as? String { checkIns[type] = Set(message.keys) }
            if let status = message["Status"] as? String { results[status] = Set(message.keys) }
            for (command, item) in exchange["commands"] as? [String: [String: Any]] ?? [:] {
                results[command] = Set((item["answer"] as? [String: Any] ?? [:]).keys)
            }
        }
    }
}
