// SPDX-License-Identifier: Apache-2.0

/// The name of what a request asks for.
package struct Operation: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let getDeviceInfo = Operation(rawValue: "get_device_info")
    package static let getAccounts = Operation(rawValue: "get_accounts_operation")
    package static let login = Operation(rawValue: "login")
    package static let refresh = Operation(rawValue: "refresh")
    package static let signOut = Operation(rawValue: "signout_account_operation")
    package static let getDefaultAccount = Operation(rawValue: "get_default_account")
    package static let removeAccount = Operation(rawValue: "remove_account_operation")
    /// Baton's own: the current account and the one that this client saw before, which stays pending until acknowledged.
    package static let currentAccount = Operation(rawValue: "baton.current_account")
    /// Baton's own: this client has taken note of the account of an epoch.
    package static let acknowledgeAccount = Operation(rawValue: "baton.acknowledge_account")

    /// Baton's own: a token of the shared device itself, with no person in it.
    package static let deviceToken = Operation(rawValue: "baton.device_token")

    /// Whether success may begin a new epoch, and so end the connection that it is answered on.
    package var changesEpoch: Bool { self == .login || self == .signOut }

    /// What this version of the protocol serves, as the broker's hello lists it.
    package static let all: [Operation] =
        [
            .getDeviceInfo, .getAccounts, .login, .refresh, .signOut, .getDefaultAccount, .removeAccount,
            .currentAccount, .acknowledgeAccount, .deviceToken,
        ] + handover
}

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
