// SPDX-License-Identifier: Apache-2.0

/// Who is signed in, as far as the app has to know.
package struct Worker: Equatable, Sendable {
    package let id: String
    package let username: String

    package init(id: String, username: String) {
        self.id = id
        self.username = username
    }
}

/// What Graph says of the worker.
package struct Profile: Equatable, Sendable {
    package let displayName: String
    package let jobTitle: String?
    package let mail: String?

    package init(displayName: String, jobTitle: String?, mail: String?) {
        self.displayName = displayName
        self.jobTitle = jobTitle
        self.mail = mail
    }
}

/// Why something did not work, in a stable word and a sentence.
package struct Problem: Equatable, Error, Sendable {
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
