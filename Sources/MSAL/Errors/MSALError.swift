// SPDX-License-Identifier: Apache-2.0

/// The error codes in ``MSALErrorDomain``.
#if canImport(ObjectiveC)
    @objc(MSALError)
#endif
public enum MSALError: Int, Sendable {
    /// An error that an app cannot resolve itself; see ``MSALInternalErrorCodeKey`` and ``MSALErrorDescriptionKey``.
    case `internal` = -50000
    /// The device must be joined to the organisation first.
    case workplaceJoinRequired = -50001
    /// User interaction is required: call `acquireToken`.
    case interactionRequired = -50002
    /// The server granted fewer scopes than were requested.
    case serverDeclinedScopes = -50003
    /// The app must first be under a protection policy.
    case serverProtectionPoliciesRequired = -50004
    /// The user or the app cancelled.
    case userCanceled = -50005
    /// A server error; reaches apps only as a value of ``MSALInternalErrorCodeKey``.
    case serverError = -50006
    /// The device's sign-in is not strong enough; reaches apps only as a value of ``MSALInternalErrorCodeKey``.
    case insufficientDeviceStrength = -50007
    /// Try again after enrollment; reaches apps only as a value of ``MSALInternalErrorCodeKey``.
    case mdmEnrollmentCompletedNeedsRetry = -50008
    /// The user must reset the password.
    case serverInvalidRequestResetPasswordRequired = -50142
}
