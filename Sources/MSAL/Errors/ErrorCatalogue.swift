// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Generates the page on errors from the list of problems and from the broker's reasons.
package enum ErrorCatalogue {
    /// The text of `docs/errors.md`.
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

        `BatonReasonKey` holds a stable word for the cause, finer than the codes. It is the name above, or one of these if the
        broker gave it:

        | reason | meaning |
        |---|---|
        """

    private static let head = """
        # Errors that apps get from MSAL

        This page is made of `Sources/MSAL/Errors/Problem+Entry.swift` by `scripts/pages`; do not edit it.

        Every error is an `NSError` of `MSALErrorDomain` and one of these. The second number stands under
        `MSALInternalErrorCodeKey`. Cause and remedy stand under `MSALErrorDescriptionKey`, often in more words, which name the
        case and never a user. `MSALCorrelationIDKey` holds the id by which the broker's log and the identity platform's know the
        request; `BatonReasonKey` holds a stable word for the cause, see below; `MSALOAuthErrorKey`, `MSALOAuthSubErrorKey` and
        `MSALSTSErrorCodesKey` hold what the identity platform said.

        A silent call answers `interaction_required` to every error of the identity platform that a person can mend (SIL-9).

        | name | code | cause | remedy |
        |---|---|---|---|
        """
}
