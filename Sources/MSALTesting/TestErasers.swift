// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The erasers of the apps on a ``TestDevice``, which follow the real broker's rules. An app is identified by its
/// client id.
struct TestErasers {
    /// The erasers that the next sign-out waits for.
    private var registered: Set<AppEraser> = []
    /// The ended epoch that each eraser must erase.
    private(set) var owed: [AppEraser: Epoch] = [:]
    /// The erasers that the device waits for after a sign-out.
    private(set) var awaited: Set<AppEraser> = []
    /// The client ids of the locked apps.
    private(set) var locked: Set<String> = []

    static func eraser(_ map: FlatMap, _ client: ClientRequest) throws(BrokerError) -> AppEraser {
        try AppEraser(map, bundleID: client.clientID)
    }

    mutating func register(_ eraser: AppEraser) throws(BrokerError) {
        let count = registered.count { $0.bundleID == eraser.bundleID }
        guard registered.contains(eraser) || count < HandoverName.maximumCount else {
            throw BrokerError(
                .developerParameter,
                "An app may register \(HandoverName.maximumCount) erasers. Register fewer.", reason: .erasersTooMany)
        }
        registered.insert(eraser)
    }

    /// The session has ended.
    mutating func end(_ epoch: Epoch) {
        for eraser in registered { owed[eraser] = owed[eraser] ?? epoch }
        (awaited, registered) = (registered, [])
    }

    /// The time in which erasers must answer is over.
    mutating func lock() { (locked, awaited) = (Set(owed.keys.map(\.bundleID)), []) }

    /// The device has taken the data away.
    mutating func take() { (owed, awaited, locked) = ([:], [], []) }

    /// Records an eraser's report.
    ///
    /// - Returns: whether this report has unlocked the app.
    mutating func settle(_ report: EraserReport, in epoch: Epoch) throws(BrokerError) -> Bool {
        guard let eraser = AppEraser(bundleID: report.client.clientID, name: report.name) else { return false }
        guard report.epoch.counter < epoch.counter else {
            throw BrokerError(.developerParameter, "This epoch has not ended. Acknowledge one that has.")
        }
        awaited.remove(eraser)
        // A report may arrive twice, because the app sends it again if the answer was lost.
        guard report.result == .done, owed[eraser] == report.epoch else { return false }
        owed[eraser] = nil
        guard !owed.keys.contains(where: { $0.bundleID == eraser.bundleID }) else { return false }
        return locked.remove(eraser.bundleID) != nil
    }
}
