// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// A call of the library that reaches the broker of a ``TestDevice``.
public enum TestCall: Sendable, Hashable, CaseIterable {
    /// `getDeviceInformation`, `getWPJMetaDataDevice` and `isCompatibleAADBrokerAvailable`.
    case deviceInformation
    /// `getCurrentAccount`.
    case currentAccount
    /// The call that tells the broker that the app has handled an account change.
    case acknowledgement
    /// `accountsFromDevice`, `allAccounts` and the other calls that list accounts.
    case accounts
    /// `acquireToken`.
    case acquireToken
    /// `acquireTokenSilent`.
    case acquireTokenSilent
    /// `signout`.
    case signout
    /// `remove`.
    case remove
    /// `getDeviceTokenForSharedDevice`.
    case deviceToken
    /// An eraser of `Handover` asks whether it must erase.
    case owedErasure
    /// An eraser of `Handover` registers for the present session.
    case eraser
    /// An eraser of `Handover` reports its result.
    case erased
    /// `hasUnsavedWork` of `Handover` has changed.
    case unsavedWork
    /// The `willEnd` blocks of `Handover` have returned, and the app has no unsaved work.
    case readyToEnd
    /// `isActive` of `Handover`.
    case activity

    var operation: BrokerProtocol.Operation {
        switch self {
        case .deviceInformation: .getDeviceInfo
        case .currentAccount: .currentAccount
        case .acknowledgement: .acknowledgeAccount
        case .accounts: .getAccounts
        case .acquireToken: .login
        case .acquireTokenSilent: .refresh
        case .signout: .signOut
        case .remove: .removeAccount
        case .deviceToken: .deviceToken
        case .owedErasure: .epoch
        case .eraser: .registerEraser
        case .erased: .acknowledge
        case .unsavedWork: .unsavedWork
        case .readyToEnd: .readyToEnd
        case .activity: .activity
        }
    }
}
