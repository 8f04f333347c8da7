// SPDX-License-Identifier: Apache-2.0

/// An app's report on whether it has unsaved work of the worker (``Operation/unsavedWork``).
package struct UnsavedWorkReport: Sendable, Equatable {
    package let client: ClientRequest
    package let isUnsaved: Bool

    package init(client: ClientRequest, isUnsaved: Bool) {
        self.client = client
        self.isUnsaved = isUnsaved
    }

    package var entries: FlatMap {
        var map = client.entries
        map[.unsaved] = isUnsaved ? "1" : "0"
        return map
    }

    /// - Throws: ``BrokerError`` if the client id is missing, or ``Key/unsaved`` is neither `1` nor `0`.
    package init(_ map: FlatMap) throws(BrokerError) {
        let client = try ClientRequest(map)
        switch try map.required(.unsaved) {
        case "1": self.init(client: client, isUnsaved: true)
        case "0": self.init(client: client, isUnsaved: false)
        default:
            throw BrokerError(.developerParameter, "baton_unsaved is neither 1 nor 0. Send one of them.")
        }
    }
}
