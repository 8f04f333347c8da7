// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MDMProtocol
internal import WebPages

/// Composes the view of a model's state.
struct HomeViewComposer {
    let texts: Texts<HomeText>
    let language: Language
    let configuration: HomeConfiguration
    /// Whether the configuration's logo could not be read as an image.
    let isLogoUnreadable: Bool
    /// The numbers of the configuration's tiles.
    let tiles: [Int]
    /// The numbers of the tiles whose icons could be read.
    let icons: Set<Int>

    func view(of model: HomeModel) -> HomeView {
        var view = HomeView()
        (view.language, view.direction) = (language.rawValue, language.direction.rawValue)
        switch model.device {
        case .unknown: show(.busy, .connecting, text: .connectingText, in: &view)
        case .unreachable: show(.problem, .noService, text: .noServiceText, advice: [.otherAdvice], in: &view)
        case .known(let state): show(state, model, in: &view)
        }
        view.notices += model.notice.map { [text(Self.text(of: $0))] } ?? []
        if isLogoUnreadable { view.notices.append(text(.logoUnreadable)) }
        return view
    }

    private func show(_ state: DeviceState, _ model: HomeModel, in view: inout HomeView) {
        switch state.stage {
        case .ready: showReady(state, model, in: &view)
        case .signingIn:
            show(.busy, .signingIn, text: .signingInText, in: &view)
            if model.activity != .none {
                view.otherButton = HomeView.Button(
                    touch: .cancel, label: text(.cancel), isBusy: model.activity == .cancelling)
            }
        case .joining: show(.busy, .joining, text: .joiningText, in: &view)
        case .signedIn: showSession(state, model, in: &view)
        case .ending: showEnding(state, in: &view)
        case .signingOut:
            show(.busy, .signingOut, text: .signingOutText, in: &view)
            if !state.pending.isEmpty {
                let items = state.pending.map(pendingName).joined(separator: ", ")
                view.advice = [text(.waitsFor, ["items": items])]
            }
        case .quarantined:
            show(.problem, .outOfService, text: nil, advice: [.outOfServiceAdvice, .otherAdvice], in: &view)
            view.text = text(.outOfServiceText, ["code": state.reason])
        }
    }

    // MARK: Nobody is signed in

    private func showReady(_ state: DeviceState, _ model: HomeModel, in view: inout HomeView) {
        if showObstacle(state, in: &view) { return }
        switch (state.isServerReachable, state.hasOfflineLeases) {
        case (false, false):
            // The identity platform may still be reachable, so the button remains.
            show(.problem, .noServer, text: .noServerText, advice: [.otherAdvice], in: &view)
        case (false, true):
            show(.good, .ready, text: .readyText, in: &view)
            view.notices.append(text(.noServerLeases))
        default: show(.good, .ready, text: .readyText, in: &view)
        }
        view.button = HomeView.Button(
            touch: .signIn, label: text(.signIn), isBusy: model.activity == .signingIn)
        view.notices += state.fault.map { [text(.deviceFault, ["code": $0])] } ?? []
        view.receipt = state.handover.map(receipt)
        view.notices += state.lockedApps.map { app in
            let isHeld = state.lockedWithoutEraser.contains(app)
            return "\(title(ofApp: app)): \(text(isHeld ? .tileHeld : .tileLocked))"
        }
    }

    /// Shows why nobody can sign in; returns false if a worker can sign in.
    private func showObstacle(_ state: DeviceState, in view: inout HomeView) -> Bool {
        switch state.registration {
        case "disabled": show(.problem, .disabled, text: .disabledText, advice: [.otherAdvice], in: &view)
        case "removed", "tenant_unknown", "other_tenant":
            show(.problem, .unregistered, text: .unregisteredText, advice: [.otherAdvice], in: &view)
        default:
            switch state.reason {
            case "shared" where state.hasAgent:
                guard let code = state.obstacle else { return false }
                show(.problem, .noAgent, text: nil, advice: [.outOfServiceAdvice, .otherAdvice], in: &view)
                view.text = text(.incompleteText, ["code": code])
            case "shared": show(.problem, .noAgent, text: .noAgentText, advice: [.otherAdvice], in: &view)
            case "not_configured" where !state.isEnrolled:
                show(.problem, .notManaged, text: .notManagedText, advice: [.notManagedAdvice], in: &view)
            case "not_configured":
                show(.problem, .notShared, text: .notSharedText, advice: [.incompleteAdvice], in: &view)
            case "not_joined": show(.problem, .notJoined, text: .notJoinedText, advice: [.notJoinedAdvice], in: &view)
            default:
                show(.problem, .incomplete, text: nil, advice: [.incompleteAdvice], in: &view)
                view.text = text(.incompleteText, ["code": state.reason])
            }
        }
        return true
    }

    // MARK: A worker is signed in

    private func showSession(_ state: DeviceState, _ model: HomeModel, in view: inout HomeView) {
        var person: HomeModel.Worker?
        switch model.account {
        case .worker(let worker): person = worker
        case .unknown, .nobody: break
        }
        view.title = person?.name ?? ""
        view.worker = HomeView.Worker(
            name: person?.name ?? "", username: person?.username ?? "",
            since: state.session?.began == nil ? nil : text(.signedInSince), sinceTime: state.session?.began)
        view.button = HomeView.Button(
            touch: .handover, label: text(.handover), hint: text(.handoverHint),
            isBusy: model.activity == .handingOver)
        view.tilesTitle = text(.apps)
        view.tiles = zip(tiles, configuration.tiles).map { number, configured in
            tile(configured, number, shown: model.tiles[number] ?? .idle, state: state)
        }
        if view.tiles.isEmpty { view.text = text(.noApps) }
        view.countdowns = [
            countdown(.offlineEnds, state.session?.offlineEnd), countdown(.shiftEnds, state.session?.shiftEnd),
        ].compactMap(\.self)
        view.idle = state.session?.idleEnd.map { end in
            HomeView.Question(
                title: text(.stillThere), countdown: HomeView.Countdown(text: text(.stillThereText), seconds: end),
                button: HomeView.Button(touch: .stillHere, label: text(.stillHere)))
        }
    }

    /// Shows that the session is about to end, and for which apps the broker still waits.
    private func showEnding(_ state: DeviceState, in view: inout HomeView) {
        show(.busy, .ending, text: .endingText, in: &view)
        guard let session = state.session, let end = countdown(.unsavedLeft, session.saveEnd) else { return }
        view.text = text(.unsavedText, ["apps": session.unsaved.map(title(ofApp:)).joined(separator: ", ")])
        view.countdowns = [end]
    }

    private func countdown(_ key: HomeText, _ seconds: Int?) -> HomeView.Countdown? {
        seconds.map { HomeView.Countdown(text: text(key), seconds: $0) }
    }

    private func tile(
        _ tile: HomeConfiguration.Tile, _ number: Int, shown: HomeModel.TileState, state: DeviceState
    ) -> HomeView.Tile {
        let isLocked = tile.bundleID.map(state.lockedApps.contains) ?? false
        let isHeld = tile.bundleID.map(state.lockedWithoutEraser.contains) ?? false
        let unsaved = state.session?.unsaved ?? []
        let (now, isProblem): (HomeText?, Bool) =
            switch shown {
            case .idle where isHeld, .opening where isHeld, .running where isHeld: (.tileHeld, true)
            case .idle where isLocked: (.tileUnlock, true)
            case .opening where isLocked, .running where isLocked: (.tileLocked, true)
            case .idle: (nil, false)
            case .opening: (.tileOpening, false)
            case .running where tile.bundleID.map(unsaved.contains) ?? false: (.tileUnsaved, false)
            case .running: (.tileRunning, false)
            case .missing: (.tileMissing, true)
            case .endedAtOnce: (.tileEndedAtOnce, true)
            case .failed: (.tileFailed, true)
            }
        return HomeView.Tile(
            number: number, title: tile.title, hasIcon: icons.contains(number), state: now.map { text($0) },
            isProblem: isProblem)
    }

    // MARK: Parts

    private func receipt(_ handover: DeviceState.Handover) -> HomeView.Receipt {
        HomeView.Receipt(
            title: text(.lastHandover), time: handover.finished,
            number: text(.receiptNumber, ["number": String(handover.receipt)]),
            lines: handover.items.filter { !Self.rules.contains($0.name) }.map { item in
                let isDone = item.result == "done"
                let result: HomeText =
                    switch item.observer {
                    case _ where !isDone: .notCleared
                    case "broker": .verified
                    case "agent": .reportedByAgent
                    case "app": .reportedByApp
                    default: .implied
                    }
                return HomeView.Receipt.Line(
                    what: name(ofItem: item.name), result: text(result), mark: isDone ? .done : .problem)
            }
                + [
                    rules(handover.items), opened(handover.opened ?? .unknown), remains(handover.left ?? .unknown),
                    unobserved(handover.unobserved),
                ].compactMap(\.self))
    }

    /// The names of the items about the files that the agent writes for browsers.
    private static let rules: Set = ["browser_extension", "browser_policies"]

    /// The line on whether the files that the agent writes for browsers were changed; nil if the agent writes none.
    private func rules(_ items: [DeviceState.Handover.Item]) -> HomeView.Receipt.Line? {
        let results = items.filter { Self.rules.contains($0.name) }.map(\.result)
        guard !results.isEmpty else { return nil }
        let (result, mark): (HomeText, HomeView.Receipt.Mark) =
            if results.contains("failed") { (.rulesChanged, .problem) } else if results.allSatisfy({ $0 == "done" }) {
                (.rulesSame, .done)
            } else { (.notKnown, .unknown) }
        return HomeView.Receipt.Line(what: text(.browserRules), result: text(result), mark: mark)
    }

    /// The line on what the session's browsers held open. It never has the mark that all is well, because the agent
    /// looks at the beginning and at the end, and does not see what was open in between.
    private func opened(_ opened: DeviceState.Handover.Left) -> HomeView.Receipt.Line {
        let (result, mark): (HomeText, HomeView.Receipt.Mark) =
            switch opened {
            case .nothing: (.heldNothing, .unknown)
            case .something: (.heldSomething, .problem)
            case .unknown, .nothingInKnownFolders: (.notKnown, .unknown)
            }
        return HomeView.Receipt.Line(what: text(.browserHeld), result: text(result), mark: mark)
    }

    /// The line on the number of kinds of places that were not examined; nil if the number is 0 or unknown. `baton
    /// receipt show` names the places.
    private func unobserved(_ count: Int?) -> HomeView.Receipt.Line? {
        guard let count, count > 0 else { return nil }
        return HomeView.Receipt.Line(
            what: text(.otherPlaces), result: text(.notLookedAt, ["number": String(count)]), mark: .unknown)
    }

    /// The line on the worker's files that no item of the receipt covers.
    private func remains(_ left: DeviceState.Handover.Left) -> HomeView.Receipt.Line {
        let (result, mark): (HomeText, HomeView.Receipt.Mark) =
            switch left {
            case .nothing: (.noneFound, .done)
            case .nothingInKnownFolders: (.noneFoundEarlier, .unknown)
            case .something: (.someFound, .problem)
            case .unknown: (.leftUnknown, .unknown)
            }
        return HomeView.Receipt.Line(what: text(.otherFiles), result: text(result), mark: mark)
    }

    private func name(ofItem name: String) -> String {
        switch name {
        case "session_key": text(.clearedKeys)
        case "session_process": text(.clearedMemory)
        case "browser": text(.clearedBrowser)
        case "files": text(.clearedFiles)
        default: text(.clearedApp, ["app": title(ofApp: String(name.trimmingPrefix("app:")))])
        }
    }

    private func pendingName(_ item: String) -> String {
        switch item {
        case "browser": text(.waitsForBrowser)
        case "files": text(.waitsForFiles)
        default: title(ofApp: String(item.trimmingPrefix("app:")))
        }
    }

    /// Returns the title of the app's tile; the app's bundle id if it has no tile.
    private func title(ofApp bundleID: String) -> String {
        configuration.tiles.first { $0.bundleID == bundleID }?.title ?? bundleID
    }

    private func show(
        _ tone: HomeView.Tone, _ title: HomeText, text detail: HomeText?, advice: [HomeText] = [],
        in view: inout HomeView
    ) {
        (view.tone, view.title) = (tone, text(title))
        view.text = detail.map { text($0) }
        view.advice = advice.map { text($0) }
        if tone == .problem, let contact = configuration.contact {
            view.advice.append(text(.call, ["contact": contact]))
        }
    }

    private func text(_ key: HomeText, _ values: [String: String] = [:]) -> String {
        texts.text(key, in: language, values)
    }

    private static func text(of notice: HomeModel.Notice) -> HomeText {
        switch notice {
        case .notSignedIn: .notSignedIn
        case .handoverGoesOn: .handoverGoesOn
        case .accountUnknown: .accountUnknown
        }
    }
}
