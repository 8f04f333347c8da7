// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceSettings
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Opens pages in the worker's browser, for any program of the session: the home screen, an app, `baton browser`.
final class WorkerPageService: Sendable {
    private let session: CurrentSession
    private let supervisor: SupervisorLink
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The times at which pages were opened recently.
    private let opened = Mutex<[ContinuousClock.Instant]>([])
    private let requests = Mutex(Requests())

    /// The requests that the supervisor has not answered yet.
    private struct Requests {
        var waiting: [UInt64: Promise<PageFailure?>] = [:]
        var count: UInt64 = 0
    }

    private static let maximumPerMinute = 30

    init(
        session: CurrentSession, supervisor: SupervisorLink, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.session, self.supervisor, self.now) = (session, supervisor, now)
    }

    /// Handles a request for a page. The answer is sent when the supervisor reports that the browser shows the page, or
    /// why the browser does not show it.
    func open(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        try ClientRequest.checkVersion(call.parameters)
        let address = try call.parameters[.pageAddress].map { (text) throws(BrokerError) in try Self.address(text) }
        let configuration = session.device.browser
        guard (address ?? configuration.homePage).map(configuration.allows) ?? true else {
            throw PageFailure.blocked.error
        }
        guard mayOpen() else {
            throw BrokerError(
                .developerParameter, "Too many pages were opened in the last minute. Try again later.",
                reason: .pageLimit)
        }
        let outcome = Promise<PageFailure?>()
        let requestID = requests.withLock { requests in
            requests.count += 1
            requests.waiting[requests.count] = outcome
            return requests.count
        }
        supervisor.tell(.pageWanted(address, epoch: session.epoch, requestID: requestID))
        return .later {
            if let failure = try await outcome.value() { throw failure.error }
            return AppResponse()
        }
    }

    /// Handles the supervisor's answer to the request with this id.
    func settle(_ requestID: UInt64, _ failure: PageFailure?) {
        requests.withLock { $0.waiting.removeValue(forKey: requestID) }?.settle(.success(failure))
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

extension PageFailure {
    fileprivate var error: BrokerError {
        switch self {
        case .agentMissing:
            BrokerError(
                .noWindow, "No baton-agent runs in the graphical session. Start it there.", reason: .agentMissing)
        case .nobodySignedIn:
            BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Sign in, then open the page.",
                reason: .nobody)
        case .blocked:
            BrokerError(
                .developerParameter, "The device's configuration blocks this address. Open another one.",
                reason: .pageBlocked)
        case .tooMany:
            BrokerError(.developerParameter, "Too many pages are being opened. Try again later.", reason: .pageLimit)
        case .notShown:
            BrokerError(
                .noWindow,
                "The browser could not be started, or ended before it showed the page. Open the page again; if that fails, see the "
                    + "log of baton-agent.", reason: .pageNotShown)
        case .unconfirmed:
            BrokerError(
                .noWindow,
                "The browser did not report in time that it shows the page. Look at the screen before you open the "
                    + "page again.",
                reason: .pageUnconfirmed)
        }
    }
}
