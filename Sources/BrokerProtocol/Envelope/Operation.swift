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
