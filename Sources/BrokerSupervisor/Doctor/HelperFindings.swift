// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Processes

extension CheckResult {
    /// Sends `baton-helper` a request that has no effect, to check whether the helper enforces the end of the worker's
    /// browser.
    ///
    /// - Parameter helper: the connection to the helper; nil if the configuration names no helper.
    static func helper(_ helper: HelperClient?) async -> CheckResult {
        guard let helper else {
            return CheckResult(
                .agent, .note, code: "helper_not_configured",
                message: "Only the agent reports the end of the worker's browser: no baton-helper enforces it.",
                remedy: "Enable baton-helper.socket, and name its socket as helper in batond.json.")
        }
        let reply = await withCheckedContinuation { continuation in
            helper.ask(.list) { continuation.resume(returning: $0) }
        }
        switch reply {
        case .sessions:
            return CheckResult(
                .agent, .good, code: "helper_serves",
                message: "baton-helper confines the worker's browser and ends it.")
        case .refused(let refusal):
            return CheckResult(
                .agent, .bad, code: refusal.code.rawValue, message: "No browser opens: baton-helper refuses.",
                remedy: refusal.message)
        case .done, .storage, .left:
            return CheckResult(
                .agent, .bad, code: "helper_strange",
                message: "No browser opens: baton-helper's answer does not match the request.",
                remedy: "Use baton-helper and batond of the same release.")
        }
    }
}
