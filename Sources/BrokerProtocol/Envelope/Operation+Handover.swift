// SPDX-License-Identifier: Apache-2.0

/// Baton's own: what an app does for the hand-over from one worker to the next.
extension Operation {
    /// Which epoch this is, and which ended one this app has yet to acknowledge.
    package static let epoch = Operation(rawValue: "baton.epoch")
    /// This app erases a worker's data itself: every sign-out of this epoch asks it whether it did.
    package static let registerEraser = Operation(rawValue: "baton.register_eraser")
    /// This app has saved what it wanted to save, and the announced end may come.
    package static let readyToEnd = Operation(rawValue: "baton.ready_to_end")
    /// This app's eraser has run for an ended epoch; the only operation of a connection whose hello names that epoch.
    package static let acknowledge = Operation(rawValue: "baton.acknowledge")
    /// The person uses this app: idle time begins anew.
    package static let activity = Operation(rawValue: "baton.activity")

    static let handover: [Operation] = [.epoch, .registerEraser, .readyToEnd, .acknowledge, .activity]
}
