// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import FoundationEssentials
internal import SessionIPC

/// Passes each request of an app to the service for it, and sends the answer.
struct RequestRouter: Sendable {
    let session: CurrentSession
    let refusals: RefusalReporter
    let counter: RequestCounter
    let dataHolders: DataHolderReporter
    let accounts: AccountService
    let changes: AccountChangeTracker
    let tokens: TokenService
    let signIns: SignInCoordinator
    let signOuts: SignOutNotifier
    let erasures: ErasureService
    let activity: ActivityReporter
    let browser: BrowserSignOnService
    let pages: WorkerPageService
    let supervisor: SupervisorLink

    /// Answers a request at once if everything is in memory, otherwise later from another thread.
    func answer(_ request: Request, from app: AppConnection) {
        var request = request
        // Every request has a valid id, so that it can be found in the logs of broker and server.
        if request.parameters.correlationID == nil {
            request.parameters[.correlationID] = FlatMap.uuid(request.id) ?? UUID().uuidString
        }
        let call = AppRequest(request: request, app: app, refusals: refusals)
        counter.request(call.operation)
        // The sign-out kills this process, and the counts that have not been reported are lost with it.
        if call.operation == .signOut { counter.report() }
        do throws(BrokerError) {
            if let refusal = request.refusal { throw refusal }
            guard app.endedEpoch == nil || request.operation == .acknowledge else {
                throw BrokerError(
                    .unsupported, "This connection is for the acknowledgement of an ended epoch. Connect without one.")
            }
            if request.operation == .login, !request.isSilent { activity.personActed() }
            switch try route(call) {
            case .now(let response):
                try dataHolders.note(call)
                call.reply(.success(try response.entries(to: call.operation, from: session.device)))
            case .later(let response): Task { await answer(call, with: response) }
            case .elsewhere: break
            }
            // Record this only after the answer was sent, because the connection may then end at once.
            if request.operation == .readyToEnd { signOuts.isReady(app) }
        } catch { call.refuse(error) }
    }

    private func route(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        switch call.operation {
        case .getDeviceInfo: .now(try accounts.deviceInfo(call))
        case .getAccounts: .now(try accounts.accounts(call))
        case .getDefaultAccount: .now(try accounts.defaultAccount(call))
        case .removeAccount: .now(try accounts.remove(call))
        case .currentAccount: .now(try changes.currentAccount(call))
        case .acknowledgeAccount: .now(try changes.acknowledge(call))
        case .refresh: try changes.noting(call, tokens.silentToken(call))
        case .deviceToken: try tokens.deviceToken(call)
        case .login: try changes.noting(call, signIns.login(call))
        case .signOut: try signOuts.signOut(call)
        case .readyToEnd: .now(try signOuts.readyToEnd(call))
        case .unsavedWork: .now(try signOuts.noteUnsavedWork(call))
        case .epoch: .now(try erasures.epoch(call))
        case .registerEraser: .now(try erasures.register(call))
        case .acknowledge: .now(try erasures.acknowledge(call))
        case .activity: .now(try activity.report(call))
        case .getSSOCookies: try browser.cookies(call)
        case .browserNativeMessage: try browser.message(call)
        case .browserAddresses: .now(try browser.addresses(call))
        case .openPage: try pages.open(call)
        default:
            throw BrokerError(
                .unsupported, "The operation is unknown to this broker. Use one that its hello lists.")
        }
    }

    private func answer(_ call: AppRequest, with response: @Sendable () async throws -> AppResponse) async {
        do {
            let response = try await response()
            try await dataHolders.noteLater(call)
            call.answerLater(.success(try response.entries(to: call.operation, from: session.device)))
        } catch {
            let failure = BrokerError(reading: error)
            supervisor.noteRefusal(failure)
            call.answerLater(.failure(failure))
        }
    }
}
