// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// One trace of a worker, and what became of it.
package struct ReceiptItem: Sendable, Equatable {
    /// How sure it is that the trace is gone.
    package enum Grade: String, Sendable, CaseIterable {
        /// The broker itself observed that it is gone, and every process that held it.
        case enforced
        /// Nobody observed it: it follows from the end of the broker that alone had it.
        case implied
        /// The agent of the graphical session says that it is gone.
        case reported
        /// An app says that it did away with it.
        case cooperative
    }

    /// Who saw it.
    package enum Observer: String, Sendable, CaseIterable {
        case broker, agent, app
        case nobody = "none"
    }
    package enum Result: String, Sendable, CaseIterable { case done, failed, unanswered }

    /// `session_key`, `session_process`, `browser`, `files`, or `app:<application id>`.
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

    /// - Parameter version: of the receipt. The first one called the browser enforced by the broker, on the agent's word:
    ///   there it is read as what it was.
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
