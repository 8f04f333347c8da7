// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import MDMProtocol
internal import Processes
internal import WebPages

/// Passes events to the model one after the other and carries out the actions that it returns.
actor HomeController {
    private var model = HomeModel()
    private let account: WorkerAccount
    /// Nil for the bar, which opens no programs.
    private let programs: TilePrograms?
    /// Ends the window that shows the page, and discards this process's memory. Never returns.
    private let forget: @Sendable () async -> Never
    /// Whether an ended session is being forgotten. Touches then have no effect.
    private var isForgetting = false
    /// Whether pages get new views. If not, they keep showing their last view. They get no new views while a session is
    /// being forgotten, and until a process that has started anew knows the device's state.
    private var isServing: Bool
    private let contents: HomeContents
    private let logger: Logger
    /// Advances whenever the model or the content has changed. A page may still have a number from before this process
    /// started anew. That number must be smaller, so the count begins at the number of milliseconds since the machine
    /// was started.
    nonisolated let changes = ChangeCount(from: UInt64(BootClock.now() / .milliseconds(1)))
    /// Events from other threads, in their order. Each state of the device replaces the previous state, so old events
    /// may be dropped.
    private let (arrived, inbox) = AsyncStream.makeStream(
        of: HomeModel.Event.self, bufferingPolicy: .bufferingNewest(64))
    /// Every read of the account has a number, so that an older answer never replaces a newer answer.
    private var reads: UInt64 = 0

    /// - Parameter isRenewed: whether the process has started anew after a session.
    init(
        account: WorkerAccount, programs: TilePrograms?, isRenewed: Bool = false,
        forget: @escaping @Sendable () async -> Never, contents: HomeContents, logger: Logger
    ) {
        (self.account, self.programs, self.forget) = (account, programs, forget)
        (self.contents, self.logger) = (contents, logger)
        isServing = !isRenewed
    }

    /// Passes an event to the model after all events that were passed before; never waits.
    nonisolated func post(_ event: HomeModel.Event) { inbox.yield(event) }

    /// Receives the device's state, on a thread that may block.
    nonisolated func receive(_ state: DeviceState) {
        // A broker in quarantine does not know the configuration that the MDM pushed.
        if state.stage != .quarantined, contents.follow(state.homeScreen) { changes.advance() }
        post(.device(state))
    }

    /// Handles the events that were posted, until the task is cancelled.
    func run() async { for await event in arrived { handle(event) } }

    /// The model and the content, with the number of the latest change. Suspends while pages get no views.
    func current() async -> (model: HomeModel, content: HomeContent, change: UInt64) {
        while !isServing, !Task.isCancelled { await changes.beyond(changes.value) }
        let change = changes.value
        return (model, contents.current, change)
    }

    func handle(_ event: HomeModel.Event) {
        guard !isForgetting else { return }
        let former = model
        let actions = model.handle(event)
        if model.device != .unknown { isServing = true }
        if model != former { changes.advance() }
        for action in actions { perform(action) }
    }

    private func perform(_ action: HomeModel.Action) {
        switch action {
        case .readAccount:
            reads += 1
            let read = reads
            Task { take(await account.current(), read: read) }
        case .signIn(let language): signIn(in: language)
        case .cancelSignIn: account.cancelSignIn()
        case .signOut: Task { handle(.handoverEnded(isDone: await account.signOut())) }
        case .reportActivity: Task { await account.reportActivity() }
        case .open(let tile): Task { await open(tile) }
        case .endPrograms: Task { await endPrograms() }
        case .forget(let endsPrograms):
            (isForgetting, isServing) = (true, false)
            Task { [forget] in
                // If an upgrade has replaced this program, this process ends instead of starting anew. In that case,
                // nothing else would end the programs.
                if endsPrograms || OwnProgram.isReplaced { await endPrograms() }
                await forget()
            }
        }
    }

    private func signIn(in language: Language) {
        let domain = contents.current.configuration.preferredDomain
        Task { handle(await account.signIn(in: language, domainHint: domain)) }
    }

    private func take(_ account: HomeModel.Account, read: UInt64) {
        if read == reads {
            handle(.account(account))
        } else if case .worker = account {
            handle(.workerRead)
        }
    }

    private func open(_ tile: Int) async {
        switch contents.current.target(of: tile) {
        case .page(let address)?:
            handle(.tile(tile, await account.open(page: address) ? .idle : .failed))
        case .program(let path, let arguments)?:
            _ = try? await blocking { [self, programs] in
                programs?.open(tile, program: path, arguments: arguments) { self.post(.tile(tile, $0)) }
            }
        case nil: handle(.tile(tile, .idle))
        }
    }

    /// Ends the programs that were opened from tiles.
    func endPrograms() async {
        do { try await blocking { [programs] in try programs?.end() } } catch {
            logger.error("programs of the last worker still run", metadata: ["error": "\(error)"])
        }
    }
}
