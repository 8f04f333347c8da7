// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import DeviceSettings

extension CheckResult {
    /// Why the device is or is not in shared mode: each fact that the mode depends on, with its remedy.
    package static func sharedMode(_ settings: ManagedSettings, isJoined: Bool, mode: DeviceMode) -> [CheckResult] {
        // If nothing configures the device as shared, a missing fact is not a fault.
        let lack: Verdict = mode == .personal ? .note : .bad
        func fact(_ holds: Bool, _ missing: DeviceMode.Missing, yes: String, no: String) -> CheckResult {
            let code = DeviceMode.incomplete(missing)
            return holds
                ? CheckResult(.mode, .good, code: code.reason.replacing("_missing", with: "_there"), message: yes)
                : CheckResult(.mode, lack, code: code.reason, message: no, remedy: code.remedy)
        }
        let enrollment =
            settings.enrolled
            ? CheckResult(.mode, .good, code: "enrolled", message: "The device is enrolled in an MDM.")
            : CheckResult(
                .mode, lack, code: "not_enrolled", message: "The device is not enrolled in an MDM.",
                remedy: "Run: baton device enroll PROFILE.")
        return [summary(of: mode), enrollment] + [
            fact(
                settings.brokerManaged, .brokerPackage, yes: "The MDM installed the broker's package.",
                no: "The MDM did not install the broker's package."),
            fact(
                settings.profileShared, .profile, yes: "The single sign-on profile sets sharedDeviceMode.",
                no: "No single sign-on profile sets sharedDeviceMode, or one turns it off."),
            fact(
                settings.appConfigurationShared, .appConfiguration, yes: "The app configuration sets sharedDeviceMode.",
                no: "The broker's app configuration does not set sharedDeviceMode."),
            isJoined
                ? CheckResult(.mode, .good, code: "joined", message: "The device is joined to a directory.")
                : CheckResult(
                    .mode, lack, code: "not_joined", message: "The device is not joined to a directory.",
                    remedy: DeviceMode.incomplete(.join).remedy),
        ]
    }

    private static func summary(of mode: DeviceMode) -> CheckResult {
        switch mode {
        case .shared: CheckResult(.mode, .good, code: "shared", message: "The device is shared: every setting agrees.")
        case .personal:
            CheckResult(
                .mode, .note, code: "not_configured",
                message: "The device is personal: no setting makes it shared.",
                remedy: mode.remedy)
        case .incomplete:
            CheckResult(
                .mode, .bad, code: "incomplete", message: "The device is neither shared nor personal: \(mode.reason).",
                remedy: mode.remedy)
        }
    }
}
