// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import DeviceSettings
import Foundation
import TestSupport
import Testing

/// The closed lists of configuration errors, and the page generated from them.
@Suite struct DeviceErrorPageTests {
    private struct Row {
        let code: String
        let cause: String
        let remedy: String
    }

    private static var registry: [Row] {
        RegistryFailure.Code.allCases.map { code in
            let failure = RegistryFailure(code, "`…`", detail: "…")
            return Row(code: code.rawValue, cause: failure.message, remedy: failure.remedy)
        }
    }

    private static var sessionPolicy: [Row] {
        SessionPolicyError.Code.allCases.map { code in
            let refusal = SessionPolicyError(code, "…")
            return Row(code: code.rawValue, cause: refusal.message, remedy: refusal.remedy)
        }
    }

    private static func table(_ rows: [Row]) -> String {
        rows.map { "| `\($0.code)` | \($0.cause) | \($0.remedy) |\n" }.joined()
    }

    private static var page: String {
        """
        # Errors in a device's configuration

        This page is generated from `Sources/DeviceSettings/Apps/RegistryFailure.swift` and `Sources/DeviceSettings/SessionPolicy/SessionPolicyError.swift`
        by `scripts/pages`; do not edit it. It is for administrators of
        a device. [Errors](errors.md) lists the errors that apps get.

        The broker logs a code under `error.code`; `baton doctor` shows it with cause and remedy. Codes are stable. `…` stands for the file,
        the app or the key in question, or for its folders; it never contains personal data.

        ## The registry of apps

        With any of these errors the broker serves no app (-51814, with the code under `baton_reason`). See [app identity](../app-identity.md).

        | code | cause | remedy |
        |---|---|---|
        \(table(registry))
        ## Session policy

        In `batond.json` these errors prevent the start, except `session_policy_endless`, `session_policy_hasty` and
        `session_policy_unwarned`, which `baton doctor` reports as warnings. A policy from the MDM is refused as a
        whole, and the device's own stays in force. See [configuration](configuration.md).

        | code | cause | remedy |
        |---|---|---|
        \(table(sessionPolicy))
        """
    }

    @Test func `docs device-errors md is the lists; scripts pages writes it`() throws {
        let file = URL(filePath: Repository.root + "/docs/reference/device-errors.md")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil { try Data(Self.page.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.page)
    }

    @Test func `every code has its own cause and remedy, in sentences`() {
        let rows = Self.registry + Self.sessionPolicy
        #expect(Set(rows.map(\.code)).count == rows.count && Set(rows.map(\.cause)).count == rows.count)
        for row in rows {
            for sentence in [row.cause, row.remedy] { #expect(sentence.hasSuffix(".") && !sentence.contains("|")) }
        }
    }
}
