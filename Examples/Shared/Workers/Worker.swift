// SPDX-License-Identifier: Apache-2.0

/// The signed-in worker, as far as the app needs to know.
package struct Worker: Equatable, Sendable {
    package let id: String
    package let username: String

    package init(id: String, username: String) {
        self.id = id
        self.username = username
    }
}

/// The worker's profile in Graph.
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

/// An error: a stable code and a sentence.
package struct Problem: Equatable, Error, Sendable {
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
