// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Processes

/// A process of an app that the agent ended because it had not erased a former worker's data.
struct EndedProcess: Sendable, Equatable {
    let app: String
    let pid: Int32
    /// The names of its erasers that had not erased; the eraser without a name has the empty one.
    let erasers: [String]

    /// The erasers' names as one text.
    var eraserText: String {
        erasers.isEmpty ? "-" : erasers.map { $0.isEmpty ? "(unnamed)" : $0 }.joined(separator: ", ")
    }
}

extension SessionCoordinator {
    /// The number of ended processes that the doctor shows.
    private static let maximumEnds = 8

    /// Logs the processes that the agent has ended, and keeps the last ones for the doctor.
    func noteEnds(by order: DataOrder, except failures: [AppDataFailure], of epoch: Epoch) {
        let left: Set<AppDataFailure.Code> = [.processLeft, .tooManyProcesses, .unknownProcesses, .agentSilent]
        let failed = Set(failures.filter { left.contains($0.code) }.map(\.app))
        for data in order.data where order.asked.contains(data.app) && !failed.contains(data.app) {
            for process in data.processes.sorted(by: { $0.pid < $1.pid }) {
                let end = EndedProcess(
                    app: data.app, pid: process.pid, erasers: appProcesses.owed(by: process, of: data.app, in: epoch))
                logger.warning(
                    "an app's process that had not erased was ended",
                    metadata: ["app": "\(end.app)", "process.id": "\(end.pid)", "eraser": "\(end.eraserText)"])
                endedProcesses = (endedProcesses + [end]).suffix(Self.maximumEnds)
            }
        }
    }
}
