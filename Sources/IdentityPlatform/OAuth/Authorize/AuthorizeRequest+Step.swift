// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

extension AuthorizeRequest {
    /// The next step for a request.
    enum Step: Equatable {
        case grant
        /// Show the sign-in page.
        case signIn
        /// Show the signed-in person, and ask which account to use.
        case chooseAccount
        /// Show what the application gets, and ask for consent.
        case consent
        case refuse(OAuthError)
    }

    /// The steps that the person has completed for this request.
    struct Done: OptionSet, Sendable {
        let rawValue: UInt8

        static let signIn = Done(rawValue: 1)
        static let account = Done(rawValue: 2)
        static let consent = Done(rawValue: 4)
    }

    /// Returns the next step, given the person signed in on this browser.
    func step(for present: (session: Session, user: User)?, done: Done, at now: Timestamp) -> Step {
        guard let present, done.contains(.signIn) || accepts(present.session, of: present.user, at: now) else {
            return prompt == .none ? .refuse(.signInRequired) : .signIn
        }
        if prompt.contains(.selectAccount), done.isDisjoint(with: [.signIn, .account]) { return .chooseAccount }
        if prompt.contains(.consent), !done.contains(.consent) { return .consent }
        return .grant
    }

    /// Whether the person of a browser session may continue without signing in again.
    private func accepts(_ session: Session, of user: User, at now: Timestamp) -> Bool {
        // A device can exchange a broker's code for a primary refresh token. Any program on the machine may receive the
        // code, because a broker's redirect URI may use any port. The code is therefore issued only after the person
        // has entered the password.
        guard !prompt.contains(.login), !client.isBroker, allows(user) else { return false }
        if let loginHint, loginHint.lowercased() != user.userPrincipalName.lowercased() { return false }
        if let maxAge, session.begun + maxAge < now { return false }
        return true
    }

    /// Whether the response may be about this person. If the request has an id token hint, only the person that the
    /// hint names is allowed.
    func allows(_ user: User) -> Bool { hinted == nil || hinted == user.id }
}
