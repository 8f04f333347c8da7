// SPDX-License-Identifier: Apache-2.0

/// An error inside the library, before it becomes the `NSError` that apps get: a ``Problem`` from the closed list, with
/// the details of this occurrence.
struct Fault: Error, Equatable {
    let problem: Problem
    /// Cause and remedy; contains no user data.
    let message: String
    /// A stable code for the cause. If one problem has several causes, this is the broker's reason; nil means the
    /// problem's own name.
    var reason: String?
    var oauthError: String?
    var oauthSuberror: String?
    /// The server's numeric error codes.
    var serverCodes: [Int] = []
    /// What the server granted and what it declined, if it granted only some of the requested scopes (INT-9).
    var declined: Declined?

    /// The scopes that were not granted, the granted scopes, and the token for the granted scopes.
    struct Declined: Equatable {
        let declined: [String]
        let granted: [String]
        let result: MSALResult
    }

    /// Makes an error with the catalogue's text; `detail` is a sentence about this occurrence and must name no user.
    init(_ problem: Problem, detail: String? = nil) {
        self.problem = problem
        message = [problem.entry.cause, detail, problem.entry.remedy].compactMap(\.self).joined(separator: " ")
    }

    /// Makes an error with the broker's text, which contains cause and remedy. If the broker's text is empty, uses the
    /// catalogue's text.
    init(_ problem: Problem, words: String) {
        self.problem = problem
        message = words.isEmpty ? Fault(problem).message : words
    }

    /// Returns the error that apps get.
    func error(correlation: UUID? = nil) -> NSError {
        var userInfo: [String: Any] = [
            MSALErrorDescriptionKey: message, NSLocalizedDescriptionKey: message,
            BatonReasonKey: reason ?? problem.rawValue,
        ]
        if let internalCode = problem.entry.internalCode {
            userInfo[MSALInternalErrorCodeKey] = NSNumber(value: internalCode)
        }
        if let oauthError { userInfo[MSALOAuthErrorKey] = oauthError }
        if let oauthSuberror { userInfo[MSALOAuthSubErrorKey] = oauthSuberror }
        if !serverCodes.isEmpty { userInfo[MSALSTSErrorCodesKey] = serverCodes.map(NSNumber.init(value:)) }
        if let correlation { userInfo[MSALCorrelationIDKey] = correlation.uuidString }
        if let declined {
            userInfo[MSALDeclinedScopesKey] = declined.declined
            userInfo[MSALGrantedScopesKey] = declined.granted
            userInfo[MSALInvalidResultKey] = declined.result
        }
        return NSError(domain: MSALErrorDomain, code: problem.entry.code, userInfo: userInfo)
    }
}
