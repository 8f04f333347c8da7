// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import BrokerProtocol
import BrokerSupervisor

/// `docs/session.md`, made of every step that the machine can take.
enum SessionPage {
    private static let families = ["ready", "signingIn", "signedIn", "ending", "signingOut"]

    /// Made once: it takes seconds.
    static let text: String = {
        let rows = families.map { family in
            let rows = Self.rows(family)
            let idle = rows.filter(\.isIdle).map { "`\($0.cause)`" }
            return """
                ## \(family)

                \(meaning(family))

                | what happens | when | what the supervisor does, in this order | then |
                |---|---|---|---|
                \(rows.filter { !$0.isIdle }.map(\.text).joined(separator: "\n"))

                \(idle.isEmpty ? "" : "Nothing follows from \(idle.joined(separator: ", ")).\n")
                """
        }
        return """
            # The session

            This page is made of `Sources/BrokerSupervisor/Session/SessionMachine.swift` by `scripts/pages`, which takes every
            step from every state that can be reached; do not edit it.

            ```mermaid
            stateDiagram-v2
                [*] --> ready
            \(edges.map { "    " + $0 }.joined(separator: "\n"))
            ```

            `journal x` is on disk before the next action begins. A restart of the supervisor takes up what the journal says;
            "kept" means that the service manager kept the key of the session that was live.

            \(rows.joined(separator: "\n"))
            """
    }()

    private static func meaning(_ family: String) -> String {
        switch family {
        case "ready": "Nobody holds the device; the next worker may begin."
        case "signingIn":
            "Somebody proves who they are: a worker who signs in, or an administrator who joins the device."
        case "signedIn": "A worker holds the device."
        case "ending": "The worker's apps have been told of the end and may save; nothing is committed yet."
        default: "The end of a session or an attempt is committed; traces are being cleared."
        }
    }

    // MARK: Rows

    private struct Row {
        let cause: String
        let when: String
        let actions: String
        let next: String
        let changes: Bool

        /// Where the row stands: no two of a cause are equal in all of it, or the page would differ from run to run.
        var place: [String] { [when == "else" ? "1" : "0", when, actions, next, changes ? "1" : "0"] }
        var isIdle: Bool { actions.isEmpty && !changes && when.isEmpty }
        var text: String {
            let follows = actions.isEmpty ? changes ? "keeps it in mind" : "nothing" : actions
            return "| `\(cause)` | \(when) | \(follows) | \(next) |"
        }
    }

    /// What follows, without epochs and numbers.
    private struct Outcome: Hashable {
        let actions: [String]
        let next: String
        let changes: Bool
    }

    private static func rows(_ family: String) -> [Row] {
        let steps = SessionStep.all.filter { $0.before.kind == family }
        let causes = Dictionary(grouping: steps, by: \.name)
        return causes.sorted { $0.key < $1.key }.flatMap { rows($0.key, $0.value) }
    }

    private static func rows(_ cause: String, _ steps: [SessionStep]) -> [Row] {
        let everywhere = common(steps)
        let outcomes = Dictionary(grouping: steps, by: outcome)
        return outcomes.map { outcome, steps in
            let told = common(steps).subtracting(everywhere)
            // What is left says what of the browser and the files is, too.
            let isTold = told.contains { $0.hasPrefix("left: ") }
            let tags = told.filter { !isTold || !($0.hasPrefix("the browser ") || $0.hasPrefix("the files ")) }.sorted()
            return Row(
                cause: cause, when: outcomes.count == 1 ? "" : tags.isEmpty ? "else" : tags.joined(separator: ", "),
                actions: outcome.actions.joined(separator: " · "), next: outcome.next, changes: outcome.changes)
        }.sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }

    /// What all of these steps begin with.
    private static func common(_ steps: [SessionStep]) -> Set<String> {
        steps.dropFirst().reduce(steps.first.map(\.tags) ?? []) { $0.intersection($1.tags) }
    }

    private static func outcome(_ step: SessionStep) -> Outcome {
        let next = step.after.kind
        let actions = step.actions.compactMap(name)
        return Outcome(
            actions: actions, next: next == step.before.kind ? "" : "**\(next)**",
            changes: actions.isEmpty && step.after != step.before)
    }

    private static func name(_ action: SessionAction) -> String? {
        switch action {
        case .journal(let record): "journal \(record.stateName)"
        case .startSessionProcess(_, let resuming):
            resuming ? "start the process again, with the key" : "start a process"
        case .restartSessionProcess: "start a process again"
        case .makeKey: "make a key"
        case .destroyKey: "destroy the key"
        case .endSessionProcess: "end the process"
        case .admit: "admit"
        case .refuse(_, let refusal): "refuse: \(refusal.rawValue)"
        case .confirm: "confirm"
        case .openBrowser: "open the browser"
        case .closeBrowser: "close the browser"
        case .clearFiles: "clear the files"
        case .announceEnd: "tell the apps"
        case .awaitApps: "give the apps time to erase"
        case .lockApps: "lock the apps that have not erased"
        case .writeReceipt: "write the receipt"
        case .answer(let requesters): requesters.isEmpty ? nil : "answer who asked for the end"
        }
    }

    // MARK: Diagram

    private static var edges: [String] {
        var labels: [String: Set<String>] = [:]
        for step in SessionStep.all {
            let (from, to) = (step.before.kind, step.after.kind)
            guard from != to else { continue }
            labels["\(from) --> \(to)", default: []].insert(step.shortName)
        }
        return labels.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.sorted().joined(separator: ", "))" }
    }
}

extension SessionStep {
    /// What happened, without epochs and numbers.
    fileprivate var name: String {
        switch cause {
        case .restart(let keyKept): keyKept ? "restart, key kept" : "restart"
        case .event(.itemCleared(let item, let epoch)):
            epoch == before.pending?.ended ? "\(item.rawValue) cleared" : "\(item.rawValue) of another epoch cleared"
        case .event(.appAnswered(let app, let hasErased, let epoch)):
            app == SessionStep.app && epoch == before.pending?.ended
                ? hasErased ? "an app has erased" : "an app could not erase"
                : "another app, or for another epoch, answered"
        case .event(.listenerArrived(let epoch)): named("listenerArrived", epoch, before.heldEpoch)
        case .event(.appEnlisted(_, let epoch)): named("appEnlisted", epoch, before.heldEpoch)
        case .event(.graceExpired(let epoch)): named("graceExpired", epoch, before.heldEpoch)
        case .event(.appsOverdue(let epoch)): named("appsOverdue", epoch, before.pending?.ended)
        case .event(.endWanted(_, let trigger)): "endWanted, \(trigger.isGraceful ? "gracefully" : "at once")"
        case .event(.signInRequested(let requestID)):
            "signInRequested by \(requestID.purpose == .worker ? "a worker" : "an administrator")"
        case .event(let event): String("\(event)".prefix { $0 != "(" })
        }
    }

    private func named(_ name: String, _ epoch: Epoch, _ meant: Epoch?) -> String {
        epoch == meant ? name : "\(name) of another epoch"
    }

    fileprivate var shortName: String {
        switch cause {
        case .restart: "restart"
        case .event(.itemCleared): "cleared"
        case .event(let event): String("\(event)".prefix { $0 != "(" })
        }
    }

    /// What the state before was like, for the column "when".
    fileprivate var tags: Set<String> {
        switch before.state {
        case .ready: []
        case .signingIn(let session, let requestID):
            [Self.tag(session), requestID.purpose == .worker ? "a worker signs in" : "an administrator joins"]
        case .signedIn(let session):
            [
                Self.tag(session),
                session.restarts < SessionMachine.ActiveSession.maximumRestarts
                    ? "started again fewer than \(SessionMachine.ActiveSession.maximumRestarts) times"
                    : "started again \(SessionMachine.ActiveSession.maximumRestarts) times",
                session.hasListeners ? "an app wants to be told" : "no app wants to be told",
                session.apps.isEmpty ? "it is new" : "it is known",
                session.apps.isEmpty ? "no app erases" : "an app erases",
            ]
        case .ending(let session, _):
            [
                Self.tag(session), session.apps.isEmpty ? "it is new" : "it is known",
                session.apps.isEmpty ? "no app erases" : "an app erases",
            ]
        case .signingOut(let pending):
            [
                "left: "
                    + (pending.items.isEmpty
                        ? "nothing" : pending.items.map(\.rawValue).sorted().joined(separator: " and ")),
                pending.items.contains(.browser) ? "the browser is left" : "the browser is gone",
                pending.items.contains(.files) ? "the files are left" : "the files are gone",
                pending.waiting == nil ? "nobody waits" : "somebody waits",
                cause.concerns(pending.waiting) ? "it is the one that waits" : "it is not the one that waits",
                pending.requesters.isEmpty ? "nobody asked for the end" : "somebody asked for the end",
                pending.awaited.isEmpty ? "no app is awaited" : "an app is awaited",
                pending.commit.unerased.isEmpty ? "every app has erased" : "an app has not erased",
            ]
        }
    }

    private static func tag(_ session: SessionMachine.ActiveSession) -> String {
        session.usedBrowser ? "a browser was used" : "no browser was used"
    }
}

extension SessionStep.Cause {
    fileprivate func concerns(_ requestID: SessionMachine.SignInRequestID?) -> Bool {
        guard case .event(.signInTimedOut(let overdue, _)) = self else { return false }
        return overdue == requestID
    }
}
