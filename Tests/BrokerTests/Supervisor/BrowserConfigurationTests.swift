// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import BrowserPolicies
import DeviceSettings
import FoundationEssentials
import JSON
import Processes
import TestSupport
import Testing

/// How the browser's configuration gets from the MDM to the agent.
@Suite struct BrowserConfigurationTests {
    @Test func `the agent gets the MDM's configuration before it opens a page, and at each change`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let first = try BrowserConfiguration(blocked: [AddressPattern("*")])
                fixture.device.set(browser: first)
                let agent = try fixture.agent(of: 1000)
                // The agent first gets the origin of the sign-in pages, which open even if the configuration blocks
                // them.
                let channel = agent.channel
                let told = try await blocking { try channel.receive().message }
                #expect(try told == .signIn(WebOrigin(of: WebAddress("https://login.test/any"))))
                #expect(try await agent.order() == .configure(first))
                let epoch = try await fixture.signIn(through: agent)
                // An unchanged configuration is not sent again; a changed configuration is sent at once.
                fixture.inputs.post(.deviceChanged)
                let second = try BrowserConfiguration(homePage: WebAddress("https://portal.example.org/"))
                _ = try await fixture.status()
                fixture.device.set(browser: second)
                fixture.inputs.post(.deviceChanged)
                #expect(try await agent.order() == .configure(second))
                // A new agent gets the configuration again.
                agent.leave()
                let next = try fixture.agent(of: 1000)
                #expect(try await next.order() == .configure(second))
                next.leave()
                fixture.device.set(browser: .standard)
                let last = try fixture.agent(of: 1000)
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await last.order() == .close(epoch: epoch))
            }
        }
    }

    @Test func `the longest configuration fits into an order and into a message to the session process`() throws {
        let host = "/" + String(repeating: "/", count: 115)
        let patterns = try (0..<500).map { try AddressPattern("\($0).example" + host.prefix(116 - "\($0)".count)) }
        let certificate = [0x30, 0x82, 0x1F, 0xFC] + [UInt8](repeating: 0xFF, count: 0x1FFC)
        let configuration = try BrowserConfiguration(
            blocked: patterns, authorities: (0..<8).map { _ in try AuthorityCertificate(der: certificate) })
        let order = AgentOrder.configure(configuration)
        let bytes = Array(try JSONEncoder().encode(order))
        #expect(bytes.count < Wire.agentOrderLimits.bytes && bytes.count > Wire.agentLimits.bytes)
        #expect(try JSONReader.read(AgentOrder.self, from: bytes, limits: Wire.agentOrderLimits) == order)
        let snapshot = DeviceSnapshot(
            mode: .personal, join: nil, registry: .success(.none), browser: configuration,
            endedSessions: [])
        let told = Array(try JSONEncoder().encode(snapshot))
        #expect(try JSONReader.read(DeviceSnapshot.self, from: told, limits: Wire.sessionLimits) == snapshot)
    }

    @Test(arguments: [
        #"{"allowed":[],"blocked":["*.example.org"],"allowsPrinting":true,"authorities":[]}"#,
        #"{"allowed":[],"blocked":[],"allowsPrinting":true,"authorities":["AAAA"]}"#,
        #"{"allowed":[],"blocked":[],"allowsPrinting":true,"authorities":[],"homePage":"file:///etc/passwd"}"#,
        #"{"allowed":[],"allowsPrinting":true,"authorities":[]}"#,
    ])
    func `a configuration that no browser could apply is refused`(text: String) {
        #expect(throws: (any Error).self) {
            try JSONReader.read(BrowserConfiguration.self, from: Array(text.utf8), limits: Wire.agentOrderLimits)
        }
    }
}
