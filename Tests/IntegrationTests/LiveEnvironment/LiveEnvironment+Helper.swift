// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import TestSupport

extension LiveEnvironment {
    /// The users of a device with `baton-helper`: `daemon` for the broker, and `nobody` for the session. The helper
    /// requires users that have names.
    static let usersWithHelper = DeviceUsers(broker: 1, session: RunningHelper.user)

    /// The users of a device with `baton-helper` whose session user, `games`, no other test uses.
    static let usersOfItsOwn = DeviceUsers(broker: 1, session: 5)

    /// Starts the helper for a device with these users.
    func startHelper() async throws -> RunningHelper {
        let isItsOwn = users?.session == Self.usersOfItsOwn.session
        // The profile of a browser needs more space than the pages of a person without a browser.
        return try await RunningHelper.start(
            broker: "daemon", user: isItsOwn ? "games" : "nobody", megabytes: isItsOwn ? 512 : 16, in: scratch)
    }

    /// Runs `body` with a helper and a broker that uses it. Restores the former configuration afterwards.
    func withHelper(_ body: (RunningHelper) async throws -> Void) async throws {
        let helper = try await startHelper()
        try await with(configuration: ["helper": helper.socket]) { try await body(helper) }
    }

    /// Returns the doctor's finding with this code; nil if there is none.
    func finding(_ code: String) async throws -> CheckResult? {
        guard case .diagnosis(let diagnosis) = try await ask(.examine) else { throw TestProblem("no diagnosis") }
        return diagnosis.findings.first { $0.code == code }
    }

    /// What a receipt says about one item.
    struct ReceiptItem: Decodable, Equatable {
        let name: String
        let grade: String
        let observer: String
        let result: String
    }

    /// Returns an item of the newest receipt; nil if the receipt lacks it.
    func newestReceipt(says name: String) async throws -> ReceiptItem? {
        try await shownReceipt().items.first { $0.name == name }
    }

    /// A receipt as it was signed.
    struct ShownReceipt: Decodable {
        let items: [ReceiptItem]
        /// The places in which something was left, or the word that replaces the list.
        let left: [String]
        let unobserved: [String]
        /// What the agent saw the browsers hold open, or the word that replaces the list.
        let opened: [String]

        private enum CodingKeys: String, CodingKey { case items, left, unobserved, opened }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            items = try values.decode([ReceiptItem].self, forKey: .items)
            unobserved = try values.decode([String].self, forKey: .unobserved)
            func list(_ key: CodingKeys) throws -> [String] {
                let word = try? values.decode(String.self, forKey: key)
                return try word.map { [$0] } ?? values.decode([String].self, forKey: key)
            }
            (left, opened) = (try list(.left), try list(.opened))
        }
    }

    /// Returns the newest receipt.
    func shownReceipt() async throws -> ShownReceipt {
        let lines = try await baton("receipt", "export", "--state", path("device"))
        let file = path("receipts-of-today.jsonl")
        try lines.write(toFile: file, atomically: false, encoding: .utf8)
        let last = lines.split(separator: "\n").filter { $0.contains("\"items\"") }.count
        let text = try await baton("receipt", "show", String(last), "--json", "--file", file)
        return try JSONDecoder().decode(ShownReceipt.self, from: Data(text.utf8))
    }
}
