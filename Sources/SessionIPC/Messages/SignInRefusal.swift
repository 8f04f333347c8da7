// SPDX-License-Identifier: Apache-2.0

/// Why a sign-in cannot begin now.
package enum SignInRefusal: String, Sendable, Equatable, Codable {
    /// Another worker is signed in.
    case occupied
    /// Another sign-in is running.
    case anotherSignIn
    /// The last worker's browser cannot be cleared because no agent is connected.
    case agentMissing
}
