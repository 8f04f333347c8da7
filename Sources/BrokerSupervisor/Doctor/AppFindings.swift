// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
package import DeviceSettings

extension CheckResult {
    package static let appLocked = "app_locked"

    /// The findings about apps that are locked because they have not erased the data of a former worker.
    ///
    /// - Parameters:
    ///   - apps: the bundle ids of the locked apps.
    ///   - withoutEraser: the locked apps that cannot erase the data themselves.
    ///   - failures: why the agent could not take the data of an app away.
    ///   - obstacles: what else keeps an app locked.
    package static func lockedApps(
        _ apps: [String], withoutEraser: Set<String> = [], _ failures: [String: AppDataFailure.Code] = [:],
        obstacles: [String: LockObstacle] = [:]
    ) -> [CheckResult] {
        apps.map { app in
            let code = failures[app] ?? (obstacles[app]?.isIncomplete == true ? .unknownProcesses : nil)
            let processes = obstacles[app]?.processes.sorted().map(String.init).joined(separator: ", ") ?? ""
            return CheckResult(
                .apps, .bad, code: appLocked,
                message: "\(app) has not erased the data of a former worker, so its requests are refused (-51890)."
                    + (code.map { " The data is still there: \($0.cause) (\($0.rawValue))." } ?? ""),
                remedy: remedies(app, code, processes: processes, hasEraser: !withoutEraser.contains(app)).joined(
                    separator: " "))
        }
    }

    private static func remedies(
        _ app: String, _ code: AppDataFailure.Code?, processes: String, hasEraser: Bool
    ) -> [String] {
        let again = code.map { $0.remedy + ($0.isTriedAgain ? " Then sign in and out, which tries again." : "") }
        let start =
            "Start \(app): whenever it connects, it is asked to erase. If it stays locked, its own log says why it could "
            + "not erase."
        let end =
            processes.isEmpty ? nil : "These of its processes have not erased: \(processes). End them if they hang."
        return [again, end, hasEraser ? start : nil].compactMap(\.self) + [
            "If nothing helps, remove the data by hand, then run: baton device unlock \(app)."
        ]
    }

    /// The finding that the agent ended a process that had not erased a former worker's data.
    static func ended(_ process: EndedProcess) -> CheckResult {
        let cause =
            process.erasers.isEmpty
            ? "it has no eraser" : "its eraser had not answered, or had not erased: \(process.eraserText)"
        return CheckResult(
            .apps, .note, code: "app_process_ended",
            message: "Process \(process.pid) of \(process.app) was ended at a sign-out: \(cause).",
            remedy: "Have each process of the app erase within the time of docs/app-identity.md#folders-of-data.")
    }

    /// The finding that an app's registration names a folder that did not exist at the last sign-out.
    static func withoutFolder(_ app: String) -> CheckResult {
        CheckResult(
            .apps, .note, code: "app_folder_missing",
            message: "At the last sign-out, a folder did not exist that the registration of \(app) names. The receipt "
                + "says nothing of this app's data.",
            remedy: "If the app keeps its data elsewhere, correct dataFolders in its registration.")
    }

    /// The finding that the agent cannot remove folders that it took away from apps.
    static func dataLeft(_ folders: Int) -> CheckResult {
        CheckResult(
            .apps, .bad, code: "data_not_removed",
            message: "The agent cannot remove what it took away from apps (folders: \(folders)), and tries again every "
                + "ten minutes. No app finds it, but a former worker's data is still on the disk.",
            remedy: "The agent's log names each folder and the reason. If a file there belongs to another user or is "
                + "immutable, remove it as root.")
    }

    /// The findings about the registered apps, grouped by the level of their binding, and about apps that the profile
    /// does not allow.
    package static func apps(_ registry: Result<AppRegistry, RegistryFailure>) -> [CheckResult] {
        let known: AppRegistry
        switch registry {
        case .success(let registry): known = registry
        case .failure(let failure):
            return [
                CheckResult(.apps, .bad, code: failure.code.rawValue, message: failure.message, remedy: failure.remedy)
            ]
        }
        let apps = known.apps.filter { $0.source != .broker }
        guard !apps.isEmpty else {
            return [
                CheckResult(
                    .apps, .note, code: "apps_none",
                    message: "No app is registered: only the command line is served.",
                    remedy: "Push an app with clientId and redirectUri as its configuration.")
            ]
        }
        let levels = Set(apps.map(\.binding.level)).sorted().map { level in
            let names = Set(apps.filter { $0.binding.level == level }.map(\.bundleID)).sorted()
            let isShared = level == AppBinding.session.level
            return CheckResult(
                .apps, isShared ? .note : .good, code: "apps_\(level)",
                message: "\(level): \(names.joined(separator: ", "))"
                    + (isShared ? "; one trust domain, with every program of the session's users." : "."))
        }
        return levels
            + apps.filter { known.rules.verdict(on: $0) != .permitted }.map { app in
                CheckResult(
                    .apps, .note, code: known.rules.verdict(on: app) == .blocked ? "app_blocked" : "app_unlisted",
                    message: "The profile's lists do not let \(app.bundleID) use single sign-on.",
                    remedy: "See AppAllowList, AppPrefixAllowList and AppBlockList in docs/app-identity.md.")
            }
    }
}
