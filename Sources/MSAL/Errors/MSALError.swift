// SPDX-License-Identifier: Apache-2.0

/// The codes of errors in ``MSALErrorDomain``.
#if canImport(ObjectiveC)
    @objc(MSALError)
#endif
public enum MSALError: Int, Sendable {
    /// Anything an app cannot act on by itself; see ``MSALInternalErrorCodeKey`` and ``MSALErrorDescriptionKey``.
    case `internal` = -50000
    /// The device must be joined to the organisation first.
    case workplaceJoinRequired = -50001
    /// A person has to take part: call `acquireToken`.
    case interactionRequired = -50002
    /// The server granted fewer scopes than were asked.
    case serverDeclinedScopes = -50003
    /// The app must be under a protection policy first.
    case serverProtectionPoliciesRequired = -50004
    /// The person, or the program, gave up.
    case userCanceled = -50005
    /// A failure of the server; reaches apps under ``MSALInternalErrorCodeKey`` only.
    case serverError = -50006
    /// The device's sign-in is too weak; reaches apps under ``MSALInternalErrorCodeKey`` only.
    case insufficientDeviceStrength = -50007
    /// Try again after enrollment; reaches apps under ``MSALInternalErrorCodeKey`` only.
    case mdmEnrollmentCompletedNeedsRetry = -50008
    /// The person must reset the password.
    case serverInvalidRequestResetPasswordRequired = -50142
}
