// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// Settings that apply to the whole process. Each test runs in its own process.
struct LoggerTests {
    @Test func `LOG-2 the log starts at level info, and hides personal data`() async {
        await #expect(processExitsWith: .success) {
            let config = MSALGlobalConfig.loggerConfig
            precondition(config.logLevel == .info)
            precondition(config.logMaskingLevel == .settingsMaskAllPII)
            config.logMaskingLevel = .settingsMaskSecretsOnly
            config.logLevel = .nothing
            precondition(config.logMaskingLevel == .settingsMaskSecretsOnly && config.logLevel == .nothing)
        }
    }

    @Test func `the callback can be read and called, and by default does nothing`()
        async
    {
        await #expect(processExitsWith: .exitCode(7)) {
            MSALGlobalConfig.loggerConfig.callback()(.error, "nobody hears this", false)
            MSALGlobalConfig.loggerConfig.setLogCallback { _, line, _ in exit(line == "heard" ? 7 : 1) }
            MSALGlobalConfig.loggerConfig.callback()(.error, "heard", false)
        }
    }

    @Test func `BRK-1 the broker is used unless the process forbids it`() async {
        await #expect(processExitsWith: .success) {
            precondition(MSALGlobalConfig.brokerAvailability == .auto)
            MSALGlobalConfig.brokerAvailability = .none
            precondition(MSALGlobalConfig.brokerAvailability == .none)
        }
    }
}
