// SPDX-License-Identifier: Apache-2.0
import DeviceSettings

/// The object `retention` of the configuration file: for how long the device keeps data.
struct RetentionSettings: Decodable {
    /// For how many days receipts are kept; nil for the default.
    let receiptDays: Int?

    private enum Key: String, CodingKey, CaseIterable { case receiptDays }

    private static let days = 1...36_500

    init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: BatondConfiguration.AnyKey.self).allKeys.map(\.stringValue)
        guard names.allSatisfy({ Key(rawValue: $0) != nil }) else {
            throw ConfigurationError(
                file: "", cause: "retention has an unknown key", remedy: "Its only key is receiptDays.")
        }
        receiptDays = try decoder.container(keyedBy: Key.self).decodeIfPresent(Int.self, forKey: .receiptDays)
        if let receiptDays, !Self.days.contains(receiptDays) {
            throw ConfigurationError(
                file: "", cause: "retention.receiptDays (\(receiptDays)) is not between 1 and 36500",
                remedy: "Leave it out for \(SupervisorConfiguration.standardReceiptDays).")
        }
    }
}
