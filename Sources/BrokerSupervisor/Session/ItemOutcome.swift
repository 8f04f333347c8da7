// SPDX-License-Identifier: Apache-2.0

/// The outcome for one trace of an ended epoch, and who observed it.
package struct ItemOutcome: Sendable, Hashable, Codable {
    /// How far the result can be trusted.
    package enum Grade: String, Sendable, Hashable, Codable {
        /// The broker observed the result itself: every process that could have held the trace has ended, and the
        /// broker has read the trace's place and found it empty.
        case enforced
        /// Nobody observed the result; it follows from the exit of the previous broker process, which alone held the
        /// trace.
        case implied
        /// The agent reported the result.
        case reported
        /// An app reported the result.
        case cooperative
    }

    /// Who observed the result.
    package enum Observer: String, Sendable, Hashable, Codable {
        case broker, agent, app
        case nobody = "none"
    }

    package enum Result: String, Sendable, Hashable, Codable { case done, failed, unanswered }

    /// `session_key`, `session_process`, `browser`, `files`, `browser_extension`, `browser_policies`, or
    /// `app:<application id>`.
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

    /// The outcome of an item that is cleared before the device is ready. The broker observed that the item was
    /// cleared.
    package static func broker(_ name: String) -> ItemOutcome {
        ItemOutcome(name: name, grade: .enforced, observer: .broker, result: .done)
    }

    /// The outcome that an app reports for its own data.
    package static func app(_ id: String, _ result: Result) -> ItemOutcome {
        ItemOutcome(name: "app:" + id, grade: .cooperative, observer: .app, result: result)
    }

    /// The outcome, reported by the agent, for the data of an app that has not erased its data itself.
    package static func data(of id: String, _ result: Result) -> ItemOutcome {
        ItemOutcome(name: app(id, result).name, grade: .reported, observer: .agent, result: result)
    }

    package static let sessionKey = broker("session_key")
    package static let sessionProcess = broker("session_process")
    package static let files = broker(SessionMachine.Item.files.rawValue)
    /// The outcome that the agent reports for a browser whose end the broker cannot observe itself.
    package static let browser = ItemOutcome(
        name: SessionMachine.Item.browser.rawValue, grade: .reported, observer: .agent, result: .done)

    /// The outcome that the receipt may claim.
    ///
    /// - Parameter isObserved: whether this broker observed the result itself.
    package func claimed(isObserved: Bool) -> ItemOutcome {
        switch observer {
        case .broker where !isObserved: ItemOutcome(name: name, grade: .implied, observer: .nobody, result: result)
        case .agent where isObserved && result == .done: .broker(name)
        case .broker, .agent, .app, .nobody: self
        }
    }
}
