// SPDX-License-Identifier: Apache-2.0
package import MSAL
package import Workers

extension Worker {
    package init?(_ account: MSALAccount) {
        guard let id = account.identifier else { return nil }
        self.init(id: id, username: account.username ?? "")
    }
}

extension Problem {
    /// Converts an error of MSAL.
    package init(_ error: (any Error)?) {
        guard let error = error as NSError?, error.domain == MSALErrorDomain else {
            self.init(code: "unknown", message: "Something went wrong outside of MSAL.")
            return
        }
        let text = error.userInfo[MSALErrorDescriptionKey] as? String ?? "MSAL gave no reason."
        // The app is locked: its own eraser has failed.
        guard error.userInfo[BatonReasonKey] as? String != "app_locked" else {
            self.init(code: "erase", message: text)
            return
        }
        switch MSALError(rawValue: error.code) {
        case .interactionRequired: self.init(code: "interaction-required", message: "\(text) Use sign-in.")
        case .userCanceled: self.init(code: "canceled", message: text)
        default:
            let detail = error.userInfo[MSALInternalErrorCodeKey] as? Int
            self.init(code: "msal\(error.code)" + (detail.map { "/\($0)" } ?? ""), message: text)
        }
    }
}
