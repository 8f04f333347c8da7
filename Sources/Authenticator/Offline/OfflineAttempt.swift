// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Redaction
internal import Synchronization

/// What only the browser of one offline sign-in knows: a start address that is good once, then for each form an address and
/// a token that are good once.
package final class OfflineAttempt: Sendable {
    /// What a person typed.
    package struct Typed: Sendable {
        package let name: String
        package let secret: SecretBytes
        /// The same once more, where a PIN is set.
        package let again: SecretBytes?
        /// Whether the person wants to set none.
        package let isDeclined: Bool

        package init(name: String, secret: SecretBytes, again: SecretBytes? = nil, isDeclined: Bool = false) {
            (self.name, self.secret, self.again, self.isDeclined) = (name, secret, again, isDeclined)
        }
    }

    /// A form that was shown.
    struct Form: Sendable, Equatable {
        let action: String
        let token: String
    }

    private struct State {
        var start: String?
        var form: Form?
    }

    let purpose: OfflinePage.Purpose
    private let state: Mutex<State>

    private enum Field: String, WireName { case again, later, name, secret, token }

    /// - Parameter start: the word of the address that the browser is given.
    init(start: String, purpose: OfflinePage.Purpose) {
        self.purpose = purpose
        state = Mutex(State(start: start))
    }

    /// Whether `path` is where the browser begins; once, since others can read a command line.
    func begins(with path: Substring) -> Bool {
        state.withLock { state in
            guard let start = state.start, equalInConstantTime(Array(path.utf8), Array("/\(start)".utf8)) else {
                return false
            }
            state.start = nil
            return true
        }
    }

    /// A new form, which takes the place of the one before.
    func newForm() -> Form {
        let form = Form(action: ProofKey.verifier(), token: ProofKey.verifier())
        state.withLock { $0.form = form }
        return form
    }

    /// Whether `path` is where the form that is open goes to.
    func isAction(_ path: Substring) -> Bool {
        guard let form = state.withLock({ $0.form }) else { return false }
        return equalInConstantTime(Array(path.utf8), Array("/\(form.action)".utf8))
    }

    /// What was typed into the form that is open, which this closes; nil for a post that does not bring its token back.
    func take(_ body: [UInt8]) -> Typed? {
        guard let fields = try? FormParameters(parsing: body), let token = fields[Field.token],
            let typed = typed(in: fields)
        else { return nil }
        return state.withLock { state in
            guard let form = state.form, equalInConstantTime(Array(token.utf8), Array(form.token.utf8)) else {
                return nil
            }
            state.form = nil
            return typed
        }
    }

    private func typed(in fields: FormParameters) -> Typed? {
        let secret = fields[Field.secret].map { SecretBytes(copying: $0.utf8) }
        let again = fields[Field.again].map { SecretBytes(copying: $0.utf8) }
        switch purpose {
        case .signIn:
            guard let name = fields[Field.name], let secret else { return nil }
            return Typed(name: name, secret: secret)
        case .newPIN:
            guard fields[Field.later] == nil else {
                return Typed(name: "", secret: SecretBytes(copying: []), isDeclined: true)
            }
            guard let secret, let again else { return nil }
            return Typed(name: "", secret: secret, again: again)
        }
    }
}
