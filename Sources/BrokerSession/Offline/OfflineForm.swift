// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Redaction
internal import Synchronization

/// The forms of one offline sign-in. Each form has an address and a token that can be used once.
package final class OfflineForm: Sendable {
    /// The values that the person typed.
    package struct Typed: Sendable {
        package let name: String
        package let secret: SecretBytes
        /// The repeated PIN, when a PIN is set.
        package let again: SecretBytes?
        /// Whether the person declined to set a PIN.
        package let isDeclined: Bool

        package init(name: String, secret: SecretBytes, again: SecretBytes? = nil, isDeclined: Bool = false) {
            (self.name, self.secret, self.again, self.isDeclined) = (name, secret, again, isDeclined)
        }
    }

    /// A form that was sent to the browser.
    struct Form: Sendable, Equatable {
        let action: String
        let token: String
    }

    let purpose: OfflinePage.Purpose
    /// The form that may be submitted now.
    private let form = Mutex<Form?>(nil)

    private enum Field: String, WireName { case again, later, name, secret, token }

    init(purpose: OfflinePage.Purpose) { self.purpose = purpose }

    /// Creates a new form, which replaces the previous form.
    func newForm() -> Form {
        let form = Form(action: ProofKey.verifier(), token: ProofKey.verifier())
        self.form.withLock { $0 = form }
        return form
    }

    /// Whether `path` is the address of the current form.
    func isAction(_ path: String) -> Bool {
        guard let form = form.withLock(\.self) else { return false }
        return equalInConstantTime(Array(path.utf8), Array("/\(form.action)".utf8))
    }

    /// Returns the values typed into the current form, and closes the form; nil if the post does not contain the form's
    /// token.
    func take(_ body: SecretBytes) -> Typed? {
        var body = unsafe body.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&body) }
        guard let fields = try? FormParameters(parsing: body), let token = fields[Field.token],
            let typed = typed(in: fields)
        else { return nil }
        return self.form.withLock { open in
            guard let form = open, equalInConstantTime(Array(token.utf8), Array(form.token.utf8)) else {
                return nil
            }
            open = nil
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
