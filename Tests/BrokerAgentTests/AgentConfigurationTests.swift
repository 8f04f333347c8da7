// SPDX-License-Identifier: Apache-2.0
import BrokerAgent
import JSON
import Testing

@Suite struct AgentConfigurationTests {
    private static let browser = #""browser":{"command":["/usr/bin/b","--at={profile}","{url}"],"profiles":"/p"}"#

    @Test func `a complete configuration is read, and the log level has a default`() throws {
        let configuration = try AgentConfiguration(json: Array(#"{"socket":"/s",\#(Self.browser)}"#.utf8))
        #expect(configuration.socket == "/s")
        #expect(configuration.profiles == "/p")
        #expect(configuration.command.words == ["/usr/bin/b", "--at={profile}", "{url}"])
        #expect("\(configuration.logLevel)" == "info")
    }

    @Test(arguments: [
        (#"{"socket":"/s","colour":1,\#(browser)}"#, "colour"),
        (
            #"{"socket":"/s","browser":{"command":["/b","{profile}{url}"],"profiles":"/p","window":1}}"#,
            "browser.window"
        ),
        (#"{"socket":"s",\#(browser)}"#, "socket"),
        (#"{\#(browser)}"#, "socket"),
        (#"{"socket":"/s"}"#, "browser"),
        (#"{"socket":"/s","browser":{"command":["b","{profile}{url}"],"profiles":"/p"}}"#, "browser.command"),
        (#"{"socket":"/s","browser":{"command":["/b",1],"profiles":"/p"}}"#, "browser.command"),
        (#"{"socket":"/s","browser":{"command":["/b","{url}"],"profiles":"/p"}}"#, "browser.command"),
        (#"{"socket":"/s","browser":{"command":["/b","{profile}"],"profiles":"/p"}}"#, "browser.command"),
        (#"{"socket":"/s","logLevel":"loud",\#(browser)}"#, "logLevel"),
        (#"{"socket":"/s","socket":"/t",\#(browser)}"#, "The file"),
        ("[]", "The file"), ("", "The file"),
    ])
    func `every error in the configuration is reported with a remedy`(json: String, key: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try AgentConfiguration(json: Array(json.utf8)) }
        #expect(failure?.key == key)
        #expect(failure?.remedy.isEmpty == false)
    }
}
