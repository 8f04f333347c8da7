// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Generates the page on errors from the list of problems and from the broker's reasons.
package enum ErrorCatalogue {
    /// The text of `docs/reference/errors.md`.
    package static var page: String {
        let rows = Problem.allCases.map { problem in
            let entry = problem.entry
            let code = entry.internalCode.map { "\(entry.code) / \($0)" } ?? "\(entry.code)"
            return "| `\(problem.rawValue)` | \(code) | \(entry.cause) | \(entry.remedy) |"
        }
        let reasons = BrokerError.Reason.meanings.map { "| `\($0.key.rawValue)` | \($0.value) |" }
        return ([head] + rows + [reasonsHead] + reasons).joined(separator: "\n") + "\n"
    }

    private static let reasonsHead = """

        ## Reasons

        `BatonReasonKey` contains a stable identifier of the cause, more specific than the codes. It is the error's name
        in the table above, or one of these if the broker set it:

        | reason | meaning |
        |---|---|
        """

    private static let head = """
        # Errors that apps get from MSAL

        This page is generated from `Sources/MSAL/Errors/Problem+Entry.swift` by `scripts/pages`; do not edit it.

        This page is for app developers; [administration](../administration.md#refusals-of-all-calls) has the codes of calls
        of administration. Every error is an `NSError` in `MSALErrorDomain` and is listed below. Its `userInfo` has these keys:

        - `MSALInternalErrorCodeKey`: the second number of the column "code".
        - `MSALErrorDescriptionKey`: cause and remedy, often in more detail than here; never a user's name.
        - `MSALCorrelationIDKey`: the id of the request in the logs of the broker and the identity platform.
        - `BatonReasonKey`: a stable identifier of the cause, see [reasons](#reasons).
        - `MSALOAuthErrorKey`, `MSALOAuthSubErrorKey`, `MSALSTSErrorCodesKey`: the error of the identity platform.

        A silent call returns `interaction_required` for every error of the identity platform that a person can resolve (SIL-9).

        | name | code | cause | remedy |
        |---|---|---|---|
        """
}
