// SPDX-License-Identifier: Apache-2.0

/// Why a sign-in may not begin now.
package enum SignInRefusal: String, Sendable, Equatable, Codable {
    /// Another worker is signed in.
    case occupied
    /// Somebody else is signing in at this moment.
    case anotherSignIn
    /// The last worker's browser cannot be cleared, for want of an agent.
    case agentMissing
}
