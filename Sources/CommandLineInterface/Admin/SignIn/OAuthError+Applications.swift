// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The error numbers of the identity platform that concern an application.
extension OAuthError {
    /// The application is not registered.
    static let unknownClientNumber = 700_016
    /// The application is disabled.
    static let disabledClientNumber = 7_000_112
    /// The application has no permission for the resource.
    static let noPermissionNumbers = [65001, 5_000_645]
    /// No registered key has signed the assertion.
    static let wrongKeyNumber = 700_027
}
