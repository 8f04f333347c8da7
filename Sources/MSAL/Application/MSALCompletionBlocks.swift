// SPDX-License-Identifier: Apache-2.0

/// Receives a token, or an error.
public typealias MSALCompletionBlock = (MSALResult?, (any Error)?) -> Void
/// Receives accounts, or an error.
public typealias MSALAccountsCompletionBlock = ([MSALAccount]?, (any Error)?) -> Void
/// Receives the current account, the account that this app saw before, and an error.
public typealias MSALCurrentAccountCompletionBlock = (MSALAccount?, MSALAccount?, (any Error)?) -> Void
/// Receives whether the sign-out succeeded, and an error if not.
public typealias MSALSignoutCompletionBlock = (Bool, (any Error)?) -> Void
/// Receives information about the device, or an error if it cannot be determined.
public typealias MSALDeviceInformationCompletionBlock = (MSALDeviceInformation?, (any Error)?) -> Void
/// Receives the device's registration, or an error if it cannot be determined.
public typealias MSALWPJMetaDataCompletionBlock = (MSALWPJMetaData?, (any Error)?) -> Void
/// Receives a token for the device, or an error.
public typealias MSALDeviceTokenResultCompletionBlock = (MSALDeviceTokenResult?, (any Error)?) -> Void
