// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The device's state, in the terms of the session machine, and the events that would change it.
package struct SessionDiagnosis: Sendable, Equatable {
    package let findings: [CheckResult]
    /// The events that would change the state, one sentence each.
    package let movers: [String]

    package init(_ status: DeviceStatus) {
        let agent = Self.agent(status)
        switch status.session {
        case "ready":
            findings = [
                CheckResult(
                    .session, .good, code: "ready", message: "Nobody is signed in, and nothing of any worker is left."),
                agent,
            ]
            movers =
                status.mode == "shared" || status.deviceID != nil
                ? ["A worker signs in through an app."] : ["An administrator runs: baton device join."]
        case "signingIn", "joining":
            findings = [
                CheckResult(.session, .note, code: "signing_in", message: "Somebody is signing in at the browser."),
                agent,
            ]
            movers = [
                "The person finishes at the browser, or closes it.", "The app cancels.",
                "Ten minutes pass.", "An operator runs: baton account sign-out.",
            ]
        case "signedIn":
            findings = [CheckResult(.session, .good, code: "signed_in", message: "A worker is signed in."), agent]
            movers = [
                "The worker signs out through any app, or an operator runs: baton account sign-out.",
                "The server ends the session, or disables worker or device.",
                "There is no activity for the idle time, the shift ends, or: baton device event charger|dock|seat.",
                "The MDM removes a setting of shared mode.",
                "The broker ends, and no service manager has kept the session's key.",
            ]
        case "ending":
            findings = [
                CheckResult(
                    .session, .note, code: "ending",
                    message: "The apps were told that the session ends, and have a moment to save."),
                agent,
            ]
            movers = ["The apps are ready, or their time is over."]
        case "signingOut":
            findings = [Self.clearing(status), agent]
            movers = status.pending.map(Self.mover)
        case "quarantined":
            findings = [
                // A separate finding gives the reason and the remedy.
                CheckResult(
                    .session, .note, code: "quarantined",
                    message: "The device is quarantined: its state cannot be trusted, and no app is served.")
            ]
            movers = ["An operator runs: baton device recover."]
        default:
            findings = [
                CheckResult(
                    .session, .warning, code: "state_unknown",
                    message: "The broker's state is unknown to this program.",
                    remedy: "Use baton and batond of the same release."),
                agent,
            ]
            movers = []
        }
    }

    private static func clearing(_ status: DeviceStatus) -> CheckResult {
        CheckResult(
            .session, .warning, code: "signing_out",
            message: "Nobody is signed in any more; still to be cleared: \(status.pending.joined(separator: ", ")).",
            remedy: status.pending.map(mover).joined(separator: " "))
    }

    private static func mover(_ item: String) -> String {
        switch item {
        case "browser":
            "If baton-agent does not run, start it as the user that the browser ran as. It removes the browser's "
                + "data, and the sign-out continues."
        case "files": "The broker tries each second to move the session's files away; look at its log and the disk."
        default: "\(item) is cleared; the broker tries again by itself."
        }
    }

    private static func agent(_ status: DeviceStatus) -> CheckResult {
        if status.agentConnected {
            let who = status.agentUser.map { user in
                ": \(status.agentPID.map { "process \($0) of " } ?? "")user \(user)"
            }
            return CheckResult(.agent, .good, code: "agent_connected", message: "baton-agent is connected\(who ?? "").")
        }
        return CheckResult(
            .agent, status.mode == "shared" ? .bad : .note, code: CheckResult.agentMissing,
            message: "No baton-agent is connected: nobody can sign in.",
            remedy: "Start baton-agent in the graphical session, as one of sessionUsers.")
    }
}

extension CheckResult {
    /// The code of the finding that no agent is connected.
    static let agentMissing = "agent_missing"
}
