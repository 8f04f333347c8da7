// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import JSON
import TestSupport
import Testing

/// Which extensions a real Firefox has when it runs with Baton's policies (Tests/Person/firefox_extension.py).
@Suite(.timeLimit(.minutes(5))) struct FirefoxExtensionTests {
    private static let id = "browser@baton.org"

    @Test func `nothing that a page or an address offers takes the place of Baton's extension, or comes beside it`()
        async throws
    {
        try await Scratch.with { scratch in
            let own = BrowserExtension(
                chromium: ChromiumExtension(id: "", updateURL: ""), firefoxID: Self.id,
                firefoxInstallURL: "file://\(ScriptedFirefox.folder(in: scratch))/own.xpi", host: "")
            let policies = JSONWriter.write(FirefoxPolicies.make(.standard, in: PolicyContext(singleSignOn: own)))
            let versions: [String: String] = try await ScriptedFirefox.result(
                of: "firefox_extension.py", files: ["policies.json": String(decoding: policies, as: UTF8.self)],
                in: scratch)
            // The policy installed the extension.
            #expect(versions[Self.id] == "1.0")
            #expect(
                versions.keys.filter { !$0.hasSuffix("@mozilla.com") && !$0.hasSuffix("@mozilla.org") } == [Self.id])
        }
    }
}
