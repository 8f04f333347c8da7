// SPDX-License-Identifier: Apache-2.0

/// The name of an operation that a request asks for.
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
    /// Baton's own: returns the current account and the account that this client saw before. The earlier account stays
    /// pending until the client acknowledges the change.
    package static let currentAccount = Operation(rawValue: "baton.current_account")
    /// Baton's own: reports that this client has handled the account change of an epoch.
    package static let acknowledgeAccount = Operation(rawValue: "baton.acknowledge_account")

    /// Baton's own: requests a token for the shared device itself, without a user.
    package static let deviceToken = Operation(rawValue: "baton.device_token")

    /// Returns the headers that sign a browser in at an address.
    package static let getSSOCookies = Operation(rawValue: "get_sso_cookies")
    /// Delivers a message of a browser's extension; sent by the extension's native messaging host.
    package static let browserNativeMessage = Operation(rawValue: "browser_native_message_operation")
    /// Baton's own: returns the addresses for which the browser's extension requests headers.
    package static let browserAddresses = Operation(rawValue: "baton.browser_addresses")

    /// Baton's own: opens a page in the worker's browser.
    package static let openPage = Operation(rawValue: "baton.open_page")

    /// Whether a successful operation may begin a new epoch and therefore end the connection that carries its reply.
    package var changesEpoch: Bool { self == .login || self == .signOut }

    /// The operations of this protocol version, as the broker's hello lists them.
    package static let all: [Operation] =
        [
            .getDeviceInfo, .getAccounts, .login, .refresh, .signOut, .getDefaultAccount, .removeAccount,
            .currentAccount, .acknowledgeAccount, .deviceToken, .getSSOCookies, .browserNativeMessage,
            .browserAddresses, .openPage,
        ] + handover
}

/// Baton's own operations for the hand-over from one worker to the next.
extension Operation {
    /// Returns the current epoch and the ended epoch that this app has not acknowledged yet.
    package static let epoch = Operation(rawValue: "baton.epoch")
    /// Reports that this app erases a worker's data itself. The sign-out that ends this epoch waits for the app's
    /// result.
    package static let registerEraser = Operation(rawValue: "baton.register_eraser")
    /// Reports that this app has finished saving, so that the announced end may proceed.
    package static let readyToEnd = Operation(rawValue: "baton.ready_to_end")
    /// Reports whether this app has unsaved work of the worker. A graceful end of the session waits longer if an app
    /// has unsaved work.
    package static let unsavedWork = Operation(rawValue: "baton.unsaved_work")
    /// Reports the result of this app's eraser for an ended epoch. This is the only operation that is allowed on a
    /// connection whose hello names that epoch.
    package static let acknowledge = Operation(rawValue: "baton.acknowledge")
    /// Reports that the user is active in this app, and restarts the idle timer.
    package static let activity = Operation(rawValue: "baton.activity")

    static let handover: [Operation] = [
        .epoch, .registerEraser, .unsavedWork, .readyToEnd, .acknowledge, .activity,
    ]
}
