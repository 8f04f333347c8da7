// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// One trace of a worker, and whether it was removed.
package struct ReceiptItem: Sendable, Equatable {
    /// How certain the removal is.
    package enum Grade: String, Sendable, CaseIterable {
        /// The broker itself observed that the trace and every process that held it are gone.
        case enforced
        /// Nobody observed the removal. The broker alone held the trace, and the kernel destroyed it when the broker
        /// died.
        case implied
        /// The agent of the graphical session reported the removal.
        case reported
        /// An app reported the removal.
        case cooperative
    }

    /// Who observed the removal.
    package enum Observer: String, Sendable, CaseIterable {
        case broker, agent, app
        case nobody = "none"
    }
    package enum Result: String, Sendable, CaseIterable { case done, failed, unanswered }

    /// `session_key`, `session_process`, `browser`, `files`, `browser_extension`, `browser_policies`, or
    /// `app:<application id>`.
    package let name: String
    package let grade: Grade
    package let observer: Observer
    package let result: Result
    /// Seconds since 1970 by the device's clock.
    package let at: Int

    package init(name: String, grade: Grade, observer: Observer, result: Result, at: Int) {
        self.name = name
        self.grade = grade
        self.observer = observer
        self.result = result
        self.at = at
    }

    private static let browser = "browser"

    var members: MembersWriter {
        var members = MembersWriter()
        members.set(ReceiptName.name, name)
        members.set(ReceiptName.grade, grade.rawValue)
        members.set(ReceiptName.observer, observer.rawValue)
        members.set(ReceiptName.result, result.rawValue)
        members.set(ReceiptName.at, at)
        return members
    }

    /// Reads an item of a receipt.
    ///
    /// - Parameter version: the version of the receipt. In version 1, the browser was recorded as enforced by the
    ///   broker although only the agent had reported it. Such an item is read as reported by the agent.
    init(_ members: Members, version: Int) throws {
        guard let grade = Grade(rawValue: try members.string(ReceiptName.grade)),
            let observer = Observer(rawValue: try members.string(ReceiptName.observer)),
            let result = Result(rawValue: try members.string(ReceiptName.result))
        else { throw ReceiptFailure.malformed }
        let name = try members.string(ReceiptName.name)
        let isAgents = version == 1 && name == Self.browser
        self.init(
            name: name, grade: isAgents ? .reported : grade, observer: isAgents ? .agent : observer, result: result,
            at: try members.integer(ReceiptName.at))
    }
}
