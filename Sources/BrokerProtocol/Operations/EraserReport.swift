// SPDX-License-Identifier: Apache-2.0

/// The result of an app's eraser for an ended epoch (``Operation/acknowledge``).
package struct EraserReport: Sendable, Equatable {
    package enum Result: String, Sendable, Codable { case done, failed }

    package let client: ClientRequest
    /// The eraser's name (``AppEraser/name``).
    package let name: String
    /// The epoch that ended.
    package let epoch: Epoch
    package let result: Result

    package init(client: ClientRequest, name: String = "", epoch: Epoch, result: Result) {
        self.client = client
        self.name = name
        self.epoch = epoch
        self.result = result
    }

    package var entries: FlatMap {
        var map = client.entries
        if !name.isEmpty { map[.eraser] = name }
        map[.epoch] = epoch.description
        map[.result] = result.rawValue
        return map
    }

    /// - Throws: ``BrokerError`` if the client id, the epoch or the result is missing or unreadable.
    package init(_ map: FlatMap) throws(BrokerError) {
        let client = try ClientRequest(map)
        guard let epoch = Epoch(try map.required(.epoch)) else {
            throw BrokerError(.developerParameter, "The epoch cannot be read. Send the ended one that the hello named.")
        }
        guard let result = Result(rawValue: try map.required(.result)) else {
            throw BrokerError(.developerParameter, "The result is neither done nor failed. Send one of them.")
        }
        self.init(client: client, name: map[.eraser] ?? "", epoch: epoch, result: result)
    }
}

extension AppEraser {
    /// Reads from a request which eraser of an app it means.
    ///
    /// - Throws: ``BrokerError`` -51112 for an invalid name.
    package init(_ map: FlatMap, bundleID: String) throws(BrokerError) {
        guard let eraser = AppEraser(bundleID: bundleID, name: map[.eraser] ?? "") else {
            throw BrokerError(
                .developerParameter, "\(Key.eraser.rawValue) is not a valid name. Send up to 16 letters from a to z.")
        }
        self = eraser
    }
}
