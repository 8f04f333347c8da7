// SPDX-License-Identifier: Apache-2.0
package import Workers

extension Problem {
    /// What the worker reads: what happened, and what to do. The message of the error itself is for developers.
    package var plainWords: String {
        switch code {
        case "canceled": "The sign-in page was closed, so nobody is signed in. Try again when you are ready."
        case "interaction-required": "Your sign-in has run out. Sign out, then sign in again."
        case "still-signed-in": "You are still signed in. Sign out again before you hand on the device."
        case "note": "Your notes cannot be stored on this device. Keep this one somewhere else."
        case "erase": "Notes of somebody else cannot be removed from this device. Ask your IT support before you go on."
        case _ where code.hasPrefix("graph"): "Your details cannot be loaded now. You can still write notes."
        case "msal-50000/-42714": "The sign-in service of this device does not answer. Nothing is shown until it does."
        default: "Something went wrong. If it happens again, tell your IT support: \(code)."
        }
    }
}
