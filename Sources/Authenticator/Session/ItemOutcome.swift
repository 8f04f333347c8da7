// SPDX-License-Identifier: Apache-2.0

/// What became of one trace of an ended epoch, and whose word that is.
package struct ItemOutcome: Sendable, Hashable, Codable {
    /// How far the result can be trusted.
    package enum Grade: String, Sendable, Hashable, Codable {
        /// Every process that could have held it is gone, and its place was read back as empty.
        case enforced
        /// An app says so.
        case cooperative
    }

    /// Who saw the result.
    package enum Observer: String, Sendable, Hashable, Codable { case broker, app }

    package enum Result: String, Sendable, Hashable, Codable { case done, failed, unanswered }

    /// `session_key`, `session_process`, `browser`, `files`, or `app:<application id>`.
    package let name: String
    package let grade: Grade
    package let observer: Observer
    package let result: Result

    package init(name: String, grade: Grade, observer: Observer, result: Result) {
        self.name = name
        self.grade = grade
        self.observer = observer
        self.result = result
    }

    /// Something of the broker's own, which is done before the device is ready.
    package static func broker(_ name: String) -> ItemOutcome {
        ItemOutcome(name: name, grade: .enforced, observer: .broker, result: .done)
    }

    /// What an app says of its own data.
    package static func app(_ id: String, _ result: Result) -> ItemOutcome {
        ItemOutcome(name: "app:" + id, grade: .cooperative, observer: .app, result: result)
    }

    package static let sessionKey = broker("session_key")
    package static let sessionProcess = broker("session_process")
}
