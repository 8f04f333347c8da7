// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// One trace of a worker, and what became of it.
package struct ReceiptItem: Sendable, Equatable {
    /// How sure it is that the trace is gone.
    package enum Grade: String, Sendable, CaseIterable {
        /// The broker itself destroyed it, or ended every process that held it.
        case enforced
        /// An app says that it did away with it.
        case cooperative
    }

    /// Who saw it.
    package enum Observer: String, Sendable, CaseIterable { case broker, app }
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

    var members: MembersWriter {
        var members = MembersWriter()
        members.set(ReceiptName.name, name)
        members.set(ReceiptName.grade, grade.rawValue)
        members.set(ReceiptName.observer, observer.rawValue)
        members.set(ReceiptName.result, result.rawValue)
        members.set(ReceiptName.at, at)
        return members
    }

    init(_ members: Members) throws {
        guard let grade = Grade(rawValue: try members.string(ReceiptName.grade)),
            let observer = Observer(rawValue: try members.string(ReceiptName.observer)),
            let result = Result(rawValue: try members.string(ReceiptName.result))
        else { throw ReceiptFailure.malformed }
        self.init(
            name: try members.string(ReceiptName.name), grade: grade, observer: observer, result: result,
            at: try members.integer(ReceiptName.at))
    }
}
