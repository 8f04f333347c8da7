// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// The messages from the agent to `batond`.
package enum AgentMessage: Sendable, Codable, Equatable {
    /// The first message of a connection. The agent has cleared everything from earlier epochs.
    case hello(version: Int)
    /// No window can open, or no window of one kind, whatever the page. Sent after the hello, or as soon as the agent
    /// knows this.
    case cannotOpen(WindowObstacle)
    /// A process that will become the browser waits for ``AgentOrder/proceed(process:isConfined:)``. Sent only in an
    /// epoch whose browser is confined.
    case starting(epoch: Epoch.ID, process: Int32)
    /// The browser of the order `id` was started.
    case opened(id: UInt64)
    /// The page of the order `id` was passed to a browser that is already running. Sent in place of ``opened(id:)``.
    case passed(id: UInt64)
    /// The worker's page of the order `id` is shown: the browser's extension has started, and the browser has received
    /// the page. Follows ``opened(id:)`` or ``passed(id:)``.
    case shown(id: UInt64)
    /// The agent refused the order `id`, or the order's browser did not start. A worker's page may also fail after
    /// ``opened(id:)``: if the browser ends before it shows the page, or its extension does not start in time.
    case failed(id: UInt64, code: String, message: String)
    /// What the agent saw when it examined the epoch's browsers, at one ``BrowserExamination/Moment``.
    case examined(epoch: Epoch.ID, BrowserExamination)
    /// The person closed the browser. The browser's profile remains until `batond` sends ``AgentOrder/close(epoch:)``.
    case browserExited(epoch: Epoch.ID)
    /// The browser ended with an error, for example because there is no screen. Otherwise the same as
    /// ``browserExited(epoch:)``.
    case browserBroke(epoch: Epoch.ID)
    /// A program that acts as the browser and is not confined by the agent ended with an error. Otherwise the same as
    /// ``browserBroke(epoch:)``.
    case programBroke(epoch: Epoch.ID)
    /// Every process of the epoch's browser has ended, and the agent has checked that the profile folder is absent.
    case closed(epoch: Epoch.ID)
    /// The epoch's browser or profile could not be removed and must be treated as present. The order may be repeated.
    case closeFailed(epoch: Epoch.ID, code: String, message: String)
    /// The answer to ``AgentOrder/clearData(epoch:apps:until:)``. For every app without a failure, all processes have
    /// ended and the folders were taken away.
    case dataCleared(epoch: Epoch.ID, failures: [AppDataFailure])
    /// The number of folders that were taken away from apps but cannot be removed. Sent after the hello, and when the
    /// number changes.
    case dataLeft(folders: Int)
    /// The person used an input device: a program that watches the session's input has sent `SIGUSR1` to the agent.
    case activity

    /// The version of these messages, sent in ``hello(version:)``. After an upgrade, an agent of the new version may
    /// meet a broker of the old one until the session ends; a broker refuses an agent of another version.
    package static let version = 6

    private enum CannotOpenCodingKeys: String, CodingKey { case _0 = "obstacle" }
    private enum ExaminedCodingKeys: String, CodingKey { case epoch, _1 = "examination" }
}
