// SPDX-License-Identifier: Apache-2.0

/// A failure inside the library, on its way to becoming the `NSError` that apps know.
struct Fault: Error, Equatable {
    /// A code that reaches apps as it is, or ``MSALError/internal``.
    let code: MSALError
    /// The number under ``MSALInternalErrorCodeKey``, present exactly with ``MSALError/internal``.
    let internalCode: Int?
    /// Cause and remedy; holds nothing of any user.
    let message: String
    var oauthError: String?
    var oauthSuberror: String?

    /// A failure that apps see by its own code.
    init(_ code: MSALError, _ message: String) {
        self.code = code
        self.internalCode = nil
        self.message = message
    }

    /// A failure that apps see as ``MSALError/internal`` with `internalCode` beside it.
    init(_ internalCode: MSALInternalError, _ message: String) {
        self.code = .internal
        self.internalCode = internalCode.rawValue
        self.message = message
    }

    /// A failure whose public code does not reach apps by itself: it becomes the internal code (ERR-2).
    init(folded code: MSALError, _ message: String) {
        self.code = .internal
        self.internalCode = code.rawValue
        self.message = message
    }

    /// The error as apps see it.
    func error(correlation: UUID? = nil) -> NSError {
        var userInfo: [String: Any] = [MSALErrorDescriptionKey: message]
        if let internalCode { userInfo[MSALInternalErrorCodeKey] = NSNumber(value: internalCode) }
        if let oauthError { userInfo[MSALOAuthErrorKey] = oauthError }
        if let oauthSuberror { userInfo[MSALOAuthSubErrorKey] = oauthSuberror }
        if let correlation { userInfo[MSALCorrelationIDKey] = correlation.uuidString }
        return NSError(domain: MSALErrorDomain, code: code.rawValue, userInfo: userInfo)
    }
}
