// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import BrowserPolicies
internal import Synchronization

/// Opens pages in the worker's browser, for any program of the session: the home screen, an app, `baton browser`.
final class WorkerPageService: Sendable {
    private let session: CurrentSession
    private let answers: SupervisorAnswers
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When the last pages were opened.
    private let opened = Mutex<[ContinuousClock.Instant]>([])

    private static let maximumPerMinute = 30

    init(
        session: CurrentSession, answers: SupervisorAnswers, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.session, self.answers, self.now) = (session, answers, now)
    }

    /// Handles a request for a page. Blocks until the agent has been told to open it.
    func open(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try ClientRequest.checkVersion(call.parameters)
        let address = try call.parameters[.pageAddress].map { (text) throws(BrokerError) in try Self.address(text) }
        let epoch = session.now.epoch
        guard session.now.worker != nil else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Sign in, then open the page.",
                reason: .nobody)
        }
        let configuration = session.device.browser
        guard (address ?? configuration.homePage).map(configuration.allows) ?? true else {
            throw BrokerError(
                .developerParameter, "The device's configuration blocks this address. Open another one.",
                reason: .pageBlocked)
        }
        guard mayOpen() else {
            throw BrokerError(
                .developerParameter, "Too many pages were opened in the last minute. Try again later.",
                reason: .pageLimit)
        }
        guard try answers.isAccepted({ .pageWanted(address, epoch: epoch, requestID: $0) }) else {
            throw BrokerError(
                .internal, "No browser can be opened: the session has ended, or no baton-agent is connected.",
                reason: .agentMissing)
        }
        return AppResponse()
    }

    private static func address(_ text: String) throws(BrokerError) -> WebAddress {
        do throws(BrowserConfigurationFailure) { return try WebAddress(text) } catch {
            throw BrokerError(
                .developerParameter, "The page cannot be opened: \(error.cause). \(error.remedy)", reason: .pageInvalid)
        }
    }

    private func mayOpen() -> Bool {
        let now = now()
        return opened.withLock { opened in
            opened.removeAll { $0.duration(to: now) >= .seconds(60) }
            guard opened.count < Self.maximumPerMinute else { return false }
            opened.append(now)
            return true
        }
    }
}
