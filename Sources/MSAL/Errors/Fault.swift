// SPDX-License-Identifier: Apache-2.0

/// A failure inside the library, on its way to becoming the `NSError` that apps know: a ``Problem`` of the closed list,
/// and what is known of this one.
struct Fault: Error, Equatable {
    let problem: Problem
    /// Cause and remedy; holds nothing of any user.
    let message: String
    /// A stable word for the cause, the broker's where one number stands for several; nil for the problem's own name.
    var reason: String?
    var oauthError: String?
    var oauthSuberror: String?
    /// The server's own numbers.
    var serverCodes: [Int] = []
    /// What came although it is not what was asked (INT-9).
    var declined: Declined?

    /// Scopes that were not granted, those that were, and the token for these.
    struct Declined: Equatable {
        let declined: [String]
        let granted: [String]
        let result: MSALResult
    }

    /// A failure as the catalogue words it; `detail` is a sentence about this one, and names no user.
    init(_ problem: Problem, detail: String? = nil) {
        self.problem = problem
        message = [problem.entry.cause, detail, problem.entry.remedy].compactMap(\.self).joined(separator: " ")
    }

    /// A failure in the words of the broker, which give cause and remedy of the case; the catalogue's where it has none.
    init(_ problem: Problem, words: String) {
        self.problem = problem
        message = words.isEmpty ? Fault(problem).message : words
    }

    /// The error as apps see it.
    func error(correlation: UUID? = nil) -> NSError {
        var userInfo: [String: Any] = [MSALErrorDescriptionKey: message, BatonReasonKey: reason ?? problem.rawValue]
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
