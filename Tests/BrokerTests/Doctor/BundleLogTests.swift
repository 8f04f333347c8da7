// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The list of log lines that a support bundle may hold, compared with the lines that the device's programs log.
struct BundleLogTests {
    private static let folders = [
        "baton-agent", "batond", "BrokerAgent", "BrokerIPC", "BrokerSession", "BrokerSupervisor",
        "DeviceHTTPS", "DeviceKeyStore", "DeviceSettings", "MDMClient", "MDMProtocol", "SessionIPC",
    ]

    @Test func `a support bundle may contain exactly the log lines of broker and agent that have no values`()
        throws
    {
        let list = try text(of: "baton/Bundle/BundleLogMessages.swift")
        let listed = Set(list.matches(of: /(?m)^ +"(.*)",$/).map { String($0.output.1) })
        let call = /[lL]ogger\??\.(?:trace|debug|info|notice|warning|error|critical)\(\s*"((?:[^"\\]|\\.)*)"/
        let logged = Set(
            try Self.folders.flatMap { folder in
                try sources(in: folder).flatMap { $0.matches(of: call).map { String($0.output.1) } }
            })
        let constant = logged.filter { !$0.contains("\\(") }
        #expect(constant.count > 50)
        #expect(listed.subtracting(constant).isEmpty)
        #expect(constant.subtracting(listed).isEmpty)
    }

    private func sources(in folder: String) throws -> [String] {
        let root = Repository.root + "/Sources/" + folder
        let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
        return try names.map { try text(of: folder + "/" + $0) }
    }

    private func text(of name: String) throws -> String {
        try String(contentsOfFile: Repository.root + "/Sources/" + name, encoding: .utf8)
    }
}
