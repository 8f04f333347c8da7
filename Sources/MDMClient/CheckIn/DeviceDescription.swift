// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import MDMProtocol

/// The facts that the device reports about itself. The device never claims to be another system.
package struct DeviceDescription: Sendable {
    package var name: String
    package var productName: String
    package var osVersion: String

    package init(name: String, productName: String = "Linux", osVersion: String = SystemVersion.current) {
        self.name = name
        self.productName = productName
        self.osVersion = osVersion
    }

    /// Returns the answers to the queries that the device can answer.
    func answers(to queries: [String], udid: String) -> [String: PropertyList] {
        let known: [PropertyKey: String] = [
            .udid: udid, .deviceName: name, .productName: productName, .osVersion: osVersion, .modelName: productName,
        ]
        return queries.reduce(into: [:]) { answers, query in
            guard let key = PropertyKey(rawValue: query), let value = known[key] else { return }
            answers[query] = .string(value)
        }
    }
}
