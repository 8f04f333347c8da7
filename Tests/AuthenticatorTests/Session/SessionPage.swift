// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol

/// `docs/session.md`, made of every step that the machine can take.
enum SessionPage {
    private static let families = ["ready", "visiting", "signedIn", "ending", "signingOut"]

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

            This page is made of `Sources/Authenticator/Session/SessionMachine.swift` by `scripts/pages`, which takes every
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
        case "visiting":
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
        let steps = SessionStep.all.filter { Self.family($0.before) == family }
        var causes: [String] = []
        for step in steps where !causes.contains(step.name) { causes.append(step.name) }
        return causes.sorted().flatMap { cause in rows(cause, steps.filter { $0.name == cause }) }
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
        let next = family(step.after)
        let actions = step.actions.compactMap(name)
        return Outcome(
            actions: actions, next: next == family(step.before) ? "" : "**\(next)**",
            changes: actions.isEmpty && step.after != step.before)
    }

    private static func name(_ action: SessionMachine.Action) -> String? {
        switch action {
        case .journal(let record): "journal \(record.stateName)"
        case .startChild(_, let resuming): resuming ? "start the process again, with the key" : "start a process"
        case .restartChild: "start a process again"
        case .makeKey: "make a key"
        case .destroyKey: "destroy the key"
        case .endChild: "end the process"
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

    static func family(_ machine: SessionMachine) -> String { String("\(machine.state)".prefix { $0 != "(" }) }

    // MARK: Diagram

    private static var edges: [String] {
        var labels: [String: Set<String>] = [:]
        for step in SessionStep.all {
            let (from, to) = (family(step.before), family(step.after))
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
            epoch == before.clearing?.ended ? "\(item.rawValue) cleared" : "\(item.rawValue) of another epoch cleared"
        case .event(.appAnswered(let app, let hasErased, let epoch)):
            app == SessionStep.app && epoch == before.clearing?.ended
                ? hasErased ? "an app has erased" : "an app could not erase"
                : "another app, or for another epoch, answered"
        case .event(.listenerArrived(let epoch)): named("listenerArrived", epoch, before.heldEpoch)
        case .event(.appEnlisted(_, let epoch)): named("appEnlisted", epoch, before.heldEpoch)
        case .event(.politenessOver(let epoch)): named("politenessOver", epoch, before.heldEpoch)
        case .event(.appsOverdue(let epoch)): named("appsOverdue", epoch, before.clearing?.ended)
        case .event(.endWanted(_, let door)): "endWanted, \(door.isPolite ? "politely" : "at once")"
        case .event(.visitWanted(let ticket)):
            "visitWanted by \(ticket.purpose == .worker ? "a worker" : "an administrator")"
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
        case .visiting(let visit, let ticket):
            [Self.tag(visit), ticket.purpose == .worker ? "a worker signs in" : "an administrator joins"]
        case .signedIn(let visit):
            [
                Self.tag(visit),
                visit.restarts < SessionMachine.Visit.maximumRestarts
                    ? "started again fewer than \(SessionMachine.Visit.maximumRestarts) times"
                    : "started again \(SessionMachine.Visit.maximumRestarts) times",
                visit.hasListeners ? "an app wants to be told" : "no app wants to be told",
                visit.apps.isEmpty ? "it is new" : "it is known",
                visit.apps.isEmpty ? "no app erases" : "an app erases",
            ]
        case .ending(let visit, _):
            [
                Self.tag(visit), visit.apps.isEmpty ? "it is new" : "it is known",
                visit.apps.isEmpty ? "no app erases" : "an app erases",
            ]
        case .signingOut(let clearing):
            [
                "left: "
                    + (clearing.items.isEmpty
                        ? "nothing" : clearing.items.map(\.rawValue).sorted().joined(separator: " and ")),
                clearing.items.contains(.browser) ? "the browser is left" : "the browser is gone",
                clearing.items.contains(.files) ? "the files are left" : "the files are gone",
                clearing.waiting == nil ? "nobody waits" : "somebody waits",
                cause.concerns(clearing.waiting) ? "it is the one that waits" : "it is not the one that waits",
                clearing.requesters.isEmpty ? "nobody asked for the end" : "somebody asked for the end",
                clearing.awaited.isEmpty ? "no app is awaited" : "an app is awaited",
                clearing.commit.unerased.isEmpty ? "every app has erased" : "an app has not erased",
            ]
        }
    }

    private static func tag(_ visit: SessionMachine.Visit) -> String {
        visit.usedBrowser ? "a browser was used" : "no browser was used"
    }
}

extension SessionStep.Cause {
    fileprivate func concerns(_ ticket: SessionMachine.Ticket?) -> Bool {
        guard case .event(.visitOverdue(let overdue, _)) = self else { return false }
        return overdue == ticket
    }
}
