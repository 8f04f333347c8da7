// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

extension AuthorizeRequest {
    /// What comes next for a request.
    enum Step: Equatable {
        case grant
        /// Show the page that asks for name and password.
        case signIn
        /// Show who is signed in, and ask whether it is to be them.
        case chooseAccount
        /// Show what the application gets, and ask.
        case consent
        case refuse(OAuthError)
    }

    /// What the person has done for this very request.
    struct Done: OptionSet, Sendable {
        let rawValue: UInt8

        static let signIn = Done(rawValue: 1)
        static let account = Done(rawValue: 2)
        static let consent = Done(rawValue: 4)
    }

    /// Says what is next, given who is signed in in this browser.
    func step(for present: (session: Session, user: User)?, done: Done, at now: Timestamp) -> Step {
        guard let present, done.contains(.signIn) || accepts(present.session, of: present.user, at: now) else {
            return prompt == .none ? .refuse(.signInRequired) : .signIn
        }
        if prompt.contains(.selectAccount), done.isDisjoint(with: [.signIn, .account]) { return .chooseAccount }
        if prompt.contains(.consent), !done.contains(.consent) { return .consent }
        return .grant
    }

    /// Whether the person of a browser session may go on without showing anew who they are.
    private func accepts(_ session: Session, of user: User, at now: Timestamp) -> Bool {
        // What a broker gets leads to a device's primary refresh token, and its address is any port of the machine: no
        // program there has it without the person's password.
        guard !prompt.contains(.login), !client.isBroker, allows(user) else { return false }
        if let loginHint, loginHint.lowercased() != user.userPrincipalName.lowercased() { return false }
        if let maxAge, session.begun + maxAge < now { return false }
        return true
    }

    /// Whether the answer may be about this person, whom an id token may have named.
    func allows(_ user: User) -> Bool { hinted == nil || hinted == user.id }
}
