// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import DeviceSettings

extension CheckResult {
    /// The session policy in force, and whether it is safe.
    ///
    /// - Parameter refusal: why the session policy from the MDM was refused; nil if it was not.
    package static func sessionPolicy(_ sessionPolicy: SessionPolicy, refusal: SessionPolicyError?) -> [CheckResult] {
        var findings: [CheckResult] = []
        if let refusal {
            findings.append(
                CheckResult(
                    .session, .bad, code: refusal.code.rawValue,
                    message:
                        "The session policy of the MDM's app configuration is refused, and that of batond.json is in force: "
                        + refusal.message, remedy: refusal.remedy))
        }
        if let problem = sessionPolicy.problem {
            return findings + [
                CheckResult(
                    .session, .warning, code: problem.code.rawValue, message: problem.message, remedy: problem.remedy)
            ]
        }
        return findings + [
            CheckResult(.session, .good, code: "session_policy", message: sessionPolicy.timeouts.sentence)
        ]
    }

    /// The finding that a second agent tries to take the place of the connected agent.
    ///
    /// - Parameters:
    ///   - refused: process and user of the refused agent.
    ///   - connected: process and user of the connected agent.
    package static func refusedAgent(_ refused: String, while connected: String) -> CheckResult {
        CheckResult(
            .agent, .warning, code: "agent_refused",
            message: "Another agent (\(refused)) tries to connect while one is connected (\(connected)).",
            remedy:
                "If the connected program is not baton-agent, end that process: the next agent that connects is "
                + "accepted."
        )
    }

    /// The finding that the agent's windows cannot open.
    static func closed(by obstacle: WindowObstacle) -> CheckResult {
        switch obstacle {
        case .notConfined: unconfined
        case .policyUnknown:
            unknownPolicy(
                obstacle,
                "The browser of the sign-in window does not know a policy on which Baton relies, so nobody can "
                    + "sign in.")
        case .workersPolicyUnknown:
            unknownPolicy(
                obstacle, "The worker's browser does not know a policy on which Baton relies, so it does not open.")
        }
    }

    private static func unknownPolicy(_ obstacle: WindowObstacle, _ message: String) -> CheckResult {
        CheckResult(
            .agent, .bad, code: obstacle.rawValue, message: message,
            remedy:
                "The log of baton-agent names the policy. Install a version of Baton that supports the installed browser, "
                + "or the browser's former version.")
    }

    /// The finding that the machine cannot confine a browser.
    private static let unconfined = CheckResult(
        .agent, .bad, code: WindowObstacle.notConfined.rawValue,
        message: "The machine cannot confine a browser, so nobody can sign in.",
        remedy:
            "Install bubblewrap, and allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1, a "
            + "user.max_user_namespaces above 0, and no RestrictNamespaces= in the units of the session. Then restart "
            + "baton-agent.")

    /// Checks whether a worker who uses the device may count as idle because no agent reports their input.
    package static func input(_ sessionPolicy: SessionPolicy, isReceived: Bool, status: DeviceStatus) -> [CheckResult] {
        guard sessionPolicy.timeouts.idle > 0, status.agentConnected else { return [] }
        if isReceived {
            return [
                CheckResult(
                    .agent, .good, code: "input_heard", message: "The agent receives reports of the person's input.")
            ]
        }
        // Without a session there was no input to report.
        guard status.session == "signedIn" else { return [] }
        return [
            CheckResult(
                .agent, .warning, code: "input_unheard",
                message:
                    "No program has reported a person's input to the agent: a worker whose apps report no activity is "
                    + "signed out after \(sessionPolicy.timeouts.idle) seconds.",
                remedy:
                    "Run in the graphical session: systemctl --user enable --now baton-input "
                    + "(docs/reference/configuration.md).")
        ]
    }
}

extension SessionTimeouts {
    fileprivate var sentence: String {
        var ends: [String] = []
        if idle > 0 {
            ends.append("after \(idle) seconds without activity, with a warning \(idleWarning) seconds before")
        }
        if shiftLength > 0 { ends.append("\(shiftLength) seconds after the sign-in") }
        if !shiftEnds.isEmpty {
            let times = shiftEnds.sorted().map {
                "\($0 / 60 < 10 ? "0" : "")\($0 / 60):\($0 % 60 < 10 ? "0" : "")\($0 % 60)"
            }
            ends.append("at \(times.joined(separator: ", "))")
        }
        return "A session ends by itself " + ends.joined(separator: ", ") + "."
    }
}
