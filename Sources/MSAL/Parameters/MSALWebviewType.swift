// SPDX-License-Identifier: Apache-2.0

/// The view that shows a sign-in page: always the broker's window, so that no app sees a password.
#if canImport(ObjectiveC)
    @objc(MSALWebviewType)
#endif
public enum MSALWebviewType: Int, Sendable {
    /// The broker's window.
    case `default` = 0
}
