// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import SessionIPC

/// The appendix of `docs/session.md`: every step that the machine can take. The part above the ``marker`` is written by
/// hand.
enum SessionPage {
    private static let families = ["ready", "signingIn", "signedIn", "ending", "signingOut"]

    /// The line that begins the appendix.
    static let marker = "<!-- scripts/pages writes everything below this line from the session machine. -->"

    /// The page from the marker to the end. Computed once, since it takes seconds.
    static let appendix: String = {
        let rows = families.map { family in
            let rows = Self.rows(family)
            let idle = rows.filter(\.isIdle).map { "`\($0.cause)`" }
            return """
                ### \(family)

                \(meaning(family))

                | event | condition | actions, in this order | next state |
                |---|---|---|---|
                \(rows.filter { !$0.isIdle }.map(\.text).joined(separator: "\n"))

                \(idle.isEmpty ? "" : "No effect: \(idle.joined(separator: ", ")).\n")
                """
        }
        return """
            \(marker)

            ## Appendix: every step

            The test of the state machine takes every step from every reachable state. The sections below list all
            of these steps.

            - A condition describes the state before the event. It is given only if the event can have different effects.
            - The next state is empty if the event does not change it.
            - `restart` is a restart of the supervisor. `key kept` means that the service manager kept the key of the live session.
            - *Journal x*: the record is on disk before the next action begins.
            - *Begin the clean-up*: \(cleanUp).

            \(rows.joined(separator: "\n"))
            """
    }()

    /// The part of a page that is written by hand: everything above the marker; nil if there is no marker.
    static func handwritten(of page: String) -> String? {
        page.firstRange(of: marker).map { String(page[..<$0.lowerBound]) }
    }

    private static func meaning(_ family: String) -> String {
        switch family {
        case "ready": "Nobody is signed in; the next worker may sign in."
        case "signingIn":
            "A worker is signing in, or an administrator is joining the device."
        case "signedIn": "A worker is signed in."
        case "ending": "The worker's apps have been notified of the end and may save; the end is not committed yet."
        default: "The end of a session or of a sign-in attempt is committed; its traces are being cleared."
        }
    }

    // MARK: Rows

    private struct Row {
        let cause: String
        let when: String
        let actions: String
        let next: String
        let changes: Bool

        /// The row's sort key. No two rows of a cause may have the same key, or the page would differ from run to run.
        var place: [String] { [when == "else" ? "1" : "0", when, actions, next, changes ? "1" : "0"] }
        func named(_ cause: String) -> Row {
            Row(cause: cause, when: when, actions: actions, next: next, changes: changes)
        }

        var isIdle: Bool { actions.isEmpty && !changes && when.isEmpty }
        var text: String {
            let follows = actions.isEmpty ? changes ? "update the state" : "nothing" : actions
            return "| `\(cause)` | \(when) | \(follows) | \(next) |"
        }
    }

    /// The result of a step, without epochs and numbers.
    private struct Outcome: Hashable {
        let actions: [String]
        let next: String
        let changes: Bool
    }

    private static func rows(_ family: String) -> [Row] {
        let steps = SessionStep.all.filter { $0.before.kind == family }
        let causes = Dictionary(grouping: steps, by: \.name)
        let events = Dictionary(grouping: causes.keys) { name in String(name.prefix { $0 != "," }) }
        return events.sorted { $0.key < $1.key }.flatMap { event, names in
            let tables = names.sorted().map { rows($0, causes[$0] ?? []) }
            // Causes of one event that have the same effects are listed once, under the event's name.
            let isSame = tables.allSatisfy { $0.map(\.place) == tables.first?.map(\.place) }
            return isSame ? tables.prefix(1).flatMap { $0.map { $0.named(event) } } : tables.flatMap(\.self)
        }
    }

    private static func rows(_ cause: String, _ steps: [SessionStep]) -> [Row] {
        let everywhere = common(steps)
        let outcomes = Dictionary(grouping: steps, by: outcome)
        return outcomes.map { outcome, steps in
            let told = common(steps).subtracting(everywhere)
            // The tag for what is left to clear makes the tags of the browser and of the files redundant.
            let isTold = told.contains { $0.hasPrefix("left to clear: ") }
            let tags = told.filter { !isTold || !($0.hasPrefix("the browser ") || $0.hasPrefix("the files ")) }.sorted()
            return Row(
                cause: cause, when: outcomes.count == 1 ? "" : tags.isEmpty ? "else" : tags.joined(separator: ", "),
                actions: outcome.actions.joined(separator: " · ").replacing(cleanUp, with: "begin the clean-up"),
                next: outcome.next, changes: outcome.changes)
        }.sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }

    /// The actions that every clean-up begins with.
    private static let cleanUp = "destroy the session key · end the session process · start a session process"

    /// The tags that all of these steps share.
    private static func common(_ steps: [SessionStep]) -> Set<String> {
        steps.dropFirst().reduce(steps.first.map(\.tags) ?? []) { $0.intersection($1.tags) }
    }

    private static func outcome(_ step: SessionStep) -> Outcome {
        let next = step.after.kind
        let actions = step.actions.map(name)
        return Outcome(
            actions: actions, next: next == step.before.kind ? "" : "**\(next)**",
            changes: actions.isEmpty && step.after != step.before)
    }

    private static func name(_ action: SessionAction) -> String {
        switch action {
        case .journal(let record): "journal \(record.stateName)"
        case .startSessionProcess(_, let resuming):
            resuming ? "restart the session process with its key" : "start a session process"
        case .restartSessionProcess: "restart the session process"
        case .makeKey: "make the session key"
        case .destroyKey: "destroy the session key"
        case .endSessionProcess: "end the session process"
        case .admit: "admit the sign-in"
        case .refuse(_, let refusal): "refuse: \(refusal.rawValue)"
        case .confirm: "confirm the sign-in"
        case .openBrowser: "open the browser"
        case .closeBrowser: "close the browser"
        case .clearFiles: "clear the files"
        case .announceEnd: "notify the apps"
        case .awaitApps: "wait for the apps to erase"
        case .takeData: "have the agent take the data of apps away"
        case .lock: "lock the apps that have not erased their data"
        case .writeReceipt: "write the receipt"
        case .answer: "answer the requesters"
        }
    }
}

extension SessionStep {
    /// The event's name on the page, without epochs and numbers.
    fileprivate var name: String {
        switch cause {
        case .restart(let keyKept): keyKept ? "restart, key kept" : "restart"
        case .event(.itemCleared(let item, let epoch)):
            named("itemCleared, \(item.rawValue)", epoch, before.pending?.ended)
        case .event(.eraserAnswered(let eraser, let hasErased, let epoch)):
            eraser == SessionStep.eraser && epoch == before.pending?.ended
                ? hasErased ? "eraserAnswered, erased" : "eraserAnswered, could not erase"
                : "eraserAnswered, of another app or epoch"
        case .event(.dataTaken(let apps, let failed, _, let epoch)):
            named(
                "dataTaken, \(apps.isEmpty ? failed.isEmpty ? "no answer" : "not all" : "all")", epoch,
                before.pending?.ended)
        case .event(.listenerArrived(let epoch)): named("listenerArrived", epoch, before.heldEpoch)
        case .event(.dataHolderArrived(_, let epoch)): named("dataHolderArrived", epoch, before.heldEpoch)
        case .event(.eraserEnlisted(_, let epoch)): named("eraserEnlisted", epoch, before.heldEpoch)
        case .event(.graceExpired(let epoch)): named("graceExpired", epoch, before.heldEpoch)
        case .event(.erasersGone(_, let epoch)): named("erasersGone", epoch, before.pending?.ended)
        case .event(.appsOverdue(let epoch)): named("appsOverdue", epoch, before.pending?.ended)
        case .event(.endWanted(_, let trigger)): "endWanted, \(trigger.isGraceful ? "graceful" : "at once")"
        case .event(.signInRequested(let requestID)): "signInRequested, \(requestID.purpose.rawValue)"
        case .event: event
        }
    }

    private func named(_ name: String, _ epoch: Epoch, _ meant: Epoch?) -> String {
        epoch == meant ? name : "\(name), of another epoch"
    }

    /// The name of the event's case in ``SessionMachine/Event``, or `restart`.
    var event: String {
        switch cause {
        case .restart: "restart"
        case .event(let event): String("\(event)".prefix { $0 != "(" })
        }
    }

    /// The properties of the state before the step, for the column "condition".
    fileprivate var tags: Set<String> {
        switch before.state {
        case .ready: []
        case .signingIn(let session, let requestID):
            [
                Self.tag(session),
                requestID.purpose == .worker ? "a worker signs in" : "an administrator joins the device",
            ]
        case .signedIn(let session):
            [
                Self.tag(session), eraser(session),
                session.restarts < SessionMachine.ActiveSession.maximumRestarts
                    ? "restarted fewer than \(SessionMachine.ActiveSession.maximumRestarts) times"
                    : "restarted \(SessionMachine.ActiveSession.maximumRestarts) times",
                session.hasListeners ? "an app listens for the end" : "no app listens for the end",
            ]
        case .ending(let session, _): [Self.tag(session), eraser(session)]
        case .signingOut(let pending):
            [
                "left to clear: "
                    + (pending.items.isEmpty
                        ? "nothing" : pending.items.map(\.rawValue).sorted().joined(separator: " and ")),
                pending.items.contains(.browser) ? "the browser is not cleared yet" : "the browser is cleared already",
                pending.items.contains(.files) ? "the files are not cleared yet" : "the files are cleared already",
                waiting(pending),
                pending.awaited.isEmpty ? "no app has time left to erase" : "an app has time left to erase",
                pending.commit.unerased.isEmpty ? "every app has erased its data" : "an app has not erased its data",
                folders(pending), Self.left(pending),
            ]
        }
    }

    /// Whether the agent has taken away the data of the exploration's one app.
    private func folders(_ pending: SessionMachine.PendingSignOut) -> String {
        switch pending.taking {
        case nil where pending.commit.dataHolders.isEmpty: "no app has folders"
        case nil: "an app has folders"
        case let taking?: taking.taken == nil ? "the agent takes data away" : "the agent has taken its time"
        }
    }

    /// Whether data of the exploration's one app is still in its place.
    private static func left(_ pending: SessionMachine.PendingSignOut) -> String {
        let apps = Set(pending.commit.apps.keys).union(pending.taking?.apps ?? []).subtracting(pending.commit.erased)
        let isLeft = !apps.isSubset(of: pending.taking?.taken ?? [])
        return isLeft ? "an app may have data left" : "no app has data left"
    }

    private static func tag(_ session: SessionMachine.ActiveSession) -> String {
        session.usedBrowser ? "a browser was used" : "no browser was used"
    }

    /// Whether the exploration's one app has registered an eraser.
    private func eraser(_ session: SessionMachine.ActiveSession) -> String {
        if case .event(.eraserEnlisted) = cause {
            return session.erasers.isEmpty ? "the app is not registered yet" : "the app is registered already"
        }
        if case .event(.dataHolderArrived) = cause {
            return session.dataHolders.isEmpty ? "the app is not known yet" : "the app is known already"
        }
        return session.erasers.isEmpty ? "no app has an eraser" : "an app has an eraser"
    }

    private func waiting(_ pending: SessionMachine.PendingSignOut) -> String {
        if case .event(.signInTimedOut(let requestID, _)) = cause {
            return requestID == pending.waiting ? "this sign-in waits" : "this sign-in does not wait"
        }
        return pending.waiting == nil ? "no sign-in waits" : "a sign-in waits"
    }
}
