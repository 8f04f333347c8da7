// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// Texts for operators: why a browser of the last session still exists, and the remedy.
enum BrowserObstacle {
    static let noAgent =
        "The last session's browser cannot be cleared without its agent. Start baton-agent in the graphical session."

    static func noAnswer(_ agent: AgentLink) -> String {
        "The agent (\(agent.text)) has not reported that the last session's browser is gone. See the log of "
            + "baton-agent. If that process hangs or is not baton-agent, end it: the next baton-agent of that user "
            + "removes the browser's data before it serves."
    }

    static func stillThere(_ agent: AgentLink, _ processes: [Int32]) -> String {
        let left =
            processes.isEmpty ? "a folder" : "process \(processes.prefix(8).map(String.init).joined(separator: ", "))"
        return
            "The agent (\(agent.text)) reports that the last session's browser is gone, but a part of it still "
            + "exists: \(left). The broker asks again each second. If that does not help, the agent may not be "
            + "baton-agent: end its process and start baton-agent, which removes the browser's data before it serves."
    }

    static func notCleared(_ code: String) -> String {
        code == AgentFailure.Code.profileMounted.rawValue
            ? "Something is mounted in the last session's browser profile, which hides what is left there. Find "
                + "it with findmnt, below browser.profiles of baton-agent, and unmount it; then the sign-out "
                + "continues by itself."
            : "The last session's browser cannot be removed (\(code)). See the log of baton-agent; the broker "
                + "tries again each second."
    }
}
