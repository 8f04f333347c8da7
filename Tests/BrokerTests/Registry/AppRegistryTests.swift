// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import MDMProtocol
import TestSupport
import Testing

@Suite struct AppRegistryTests {
    private static let rounds = RegisteredApp(
        bundleID: "com.contoso.rounds", clientID: "C-1", redirectURI: "msauth.r://auth")
    private static let checkout = RegisteredApp(
        bundleID: "com.contoso.checkout", clientID: "C-2", redirectURI: "msauth.t://auth")

    private func settings(_ apps: [RegisteredApp], rules: AppPermissions = AppPermissions()) -> ManagedSettings {
        ManagedSettings(
            enrolled: true, brokerManaged: true, profileShared: true, appConfigurationShared: true, apps: apps,
            installed: Set(apps.map(\.bundleID)), rules: rules)
    }

    /// Returns the registry of these apps and this file.
    private func registry(
        _ apps: [RegisteredApp], file text: String? = nil, sharedUsers: Set<UInt32> = [0, 1000]
    ) async throws -> AppRegistry {
        guard let text else { return try AppRegistry(managed: settings(apps), file: nil, sharedUsers: sharedUsers) }
        return try await Scratch.with { scratch in
            let file = try RegistryFile(path: try scratch.write(text, to: "apps.json"))
            return try AppRegistry(managed: settings(apps), file: file, sharedUsers: sharedUsers)
        }
    }

    private func snapshot(_ registry: Result<AppRegistry, RegistryFailure>) -> DeviceSnapshot {
        DeviceSnapshot(mode: .shared, join: nil, registry: registry, endedSessions: [])
    }

    @Test func `the device's own file sets the level of the MDM's apps, and adds apps of its own`() async throws {
        let text = """
            {"apps":[{"id":"com.contoso.rounds","level":"socket"},
            {"id":"com.contoso.checkout","level":"user","user":1201},
            {"id":"org.kiosk","clients":[{"clientId":"K-1","redirectUris":["a","b"]}]}]}
            """
        let registry = try await registry([Self.rounds, Self.checkout], file: text)
        #expect(registry.sockets == ["com.contoso.rounds"] && registry.users == [1201: "com.contoso.checkout"])
        let kiosk = try #require(registry.apps.first { $0.bundleID == "org.kiosk" })
        #expect(kiosk.redirectURIs == ["a", "b"] && kiosk.binding == .session && !kiosk.isManaged)
        #expect(registry.apps.contains(.commandLine) && registry.apps.contains(.homeScreen))
    }

    @Test func `the folders of an app's data come from the MDM, or from the device's own file`() async throws {
        var rounds = Self.rounds
        rounds.dataFolders = [try #require(DataFolder("/home/kiosk/rounds"))]
        #expect(try await registry([rounds]).dataFolders == ["com.contoso.rounds": rounds.dataFolders])
        let text = #"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home/a","/home/ab"]}]}"#
        let folders = try await registry([rounds, Self.checkout], file: text).dataFolders
        #expect(folders.mapValues { $0.map(\.path) } == ["com.contoso.rounds": ["/home/a", "/home/ab"]])
    }

    @Test(arguments: [
        (
            #"{"apps":[{"id":"com.contoso.rounds","level":"user","user":7},{"id":"com.contoso.checkout","level":"user","user":7}]}"#,
            RegistryFailure.Code.userTwice
        ),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"user","user":0}]}"#, .userShared),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"user","user":1000}]}"#, .userShared),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"user"}]}"#, .level),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"socket","user":7}]}"#, .level),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"process"}]}"#, .level),
        (#"{"apps":[{"id":"a"},{"id":"a"}]}"#, .appTwice),
        (#"{"apps":[{"id":"com.contoso.rounds","clients":[{"clientId":"C-9","redirectUris":[]}]}]}"#, .appTwice),
        (#"{"apps":[{"id":"a","clients":[{"clientId":"c-1","redirectUris":[]}]}]}"#, .clientTwice),
        (#"{"apps":[{"id":"../x","clients":[{"clientId":"C-9","redirectUris":[]}]}]}"#, .name),
        (#"{"apps":[{"id":".x","clients":[{"clientId":"C-9","redirectUris":[]}]}]}"#, .name),
        (#"{"apps":[{"id":"a","lvl":"socket"}]}"#, .malformed), (#"{"apps":{}}"#, .malformed), (#"{}"#, .malformed),
        (#"{"apps":[]"#, .malformed), (#"{"apps":[],"more":1}"#, .malformed),
        (#"{"apps":[{"id":"com.contoso.rounds","dataFolders":["data"]}]}"#, .dataFolder),
        (#"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home"]}]}"#, .dataFolder),
        (#"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home/a/../b"]}]}"#, .dataFolder),
        (#"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home/a/"]}]}"#, .dataFolder),
        (
            #"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/h/1","/h/2","/h/3","/h/4","/h/5","/h/6","/h/7","/h/8","/h/9"]}]}"#,
            .dataFolder
        ),
        (#"{"apps":[{"id":"com.contoso.rounds","level":"socket","dataFolders":["/home/a"]}]}"#, .dataFolder),
        (#"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home/a","/home/a/b"]}]}"#, .dataFolderTwice),
        (
            #"{"apps":[{"id":"com.contoso.rounds","dataFolders":["/home/a"]},{"id":"com.contoso.checkout","dataFolders":["/home/a/b"]}]}"#,
            .dataFolderTwice
        ),
    ])
    func `an ambiguous registry is refused`(text: String, code: RegistryFailure.Code) async throws {
        let failure = await #expect(throws: RegistryFailure.self) {
            try await registry([Self.rounds, Self.checkout], file: text)
        }
        #expect(failure?.code == code)
        #expect(failure?.message.isEmpty == false && failure?.remedy.isEmpty == false)
    }

    @Test func `the refusal of folders of data names what is wrong: both apps, or the path`() async throws {
        func message(_ apps: String) async -> String {
            let failure = await #expect(throws: RegistryFailure.self) {
                try await registry([Self.rounds, Self.checkout], file: #"{"apps":[\#(apps)]}"#)
            }
            return failure?.message ?? ""
        }
        let twice = await message(
            #"{"id":"com.contoso.rounds","dataFolders":["/h/a"]},{"id":"com.contoso.checkout","dataFolders":["/h/a/b"]}"#
        )
        for part in ["/h/a of com.contoso.rounds", "/h/a/b of com.contoso.checkout"] {
            #expect(twice.contains(part), "\(twice)")
        }
        for (path, reason) in [
            ("/etc", "/etc belongs to the system"), ("/etc/ssh", "/etc/ssh belongs to the system"),
            ("/root", "/root is less than two levels"), ("/", "is less than two levels"),
            ("data", "data is not an absolute"),
        ] {
            let refused = await message(#"{"id":"com.contoso.rounds","dataFolders":["\#(path)"]}"#)
            #expect(refused.contains(reason) && refused.contains("com.contoso.rounds"), "\(refused)")
        }
        let level = await message(#"{"id":"com.contoso.rounds","level":"socket","dataFolders":["/h/a"]}"#)
        #expect(level.contains("its level is socket-bound, not session"), "\(level)")
    }

    @Test func `a malformed declaration from the MDM does not make an app session-bound`() async throws {
        var settings = settings([Self.rounds])
        settings.registryFailure = RegistryFailure(.level, "com.contoso.rounds")
        #expect(throws: RegistryFailure(.level, "com.contoso.rounds")) {
            try AppRegistry(managed: settings, file: nil, sharedUsers: [0])
        }
    }

    @Test(arguments: [
        (AppIdentity.socket("com.contoso.rounds"), AppBinding.socket, true),
        (.socket("com.contoso.checkout"), .socket, false), (.socket("com.contoso.rounds"), .session, false),
        (.socket("com.contoso.rounds"), .user(7), false), (.user("com.contoso.rounds", 7), .user(7), true),
        (.user("com.contoso.rounds", 7), .user(8), false), (.user("com.contoso.checkout", 7), .user(7), false),
        (.user("com.contoso.rounds", 7), .socket, false), (.user("com.contoso.rounds", 7), .session, false),
        (.session, .session, true), (.session, .socket, false), (.session, .user(7), false),
    ])
    func `an identity may act only for an app that is identified by the same means`(
        identity: AppIdentity, binding: AppBinding, isPermitted: Bool
    ) async throws {
        var app = Self.rounds
        app.binding = binding
        let device = snapshot(.success(try await registry([app])))
        if isPermitted {
            #expect(try device.app("c-1", for: identity) == app)
        } else {
            let refusal = #expect(throws: BrokerError.self) { try device.app("c-1", for: identity) }
            #expect(refusal?.code == .unauthorizedClient && refusal?.reason == .otherApp)
        }
        let unknown = #expect(throws: BrokerError.self) { try device.app("C-77", for: identity) }
        #expect(unknown?.code == .unauthorizedClient && unknown?.reason == .unknownClient)
    }

    @Test func `while the registry is unusable, every app is refused with the registry's error code`() {
        for code in RegistryFailure.Code.allCases {
            let device = snapshot(.failure(RegistryFailure(code, "x")))
            let refusal = #expect(throws: BrokerError.self) { try device.app("C-1", for: .session) }
            #expect(refusal?.code == .brokerUnavailable && refusal?.reason?.rawValue == code.rawValue)
            #expect(throws: BrokerError.self) { try device.checkAnyApp(for: .session) }
        }
    }

    // MARK: - The profile's lists

    private func rules(_ data: [String: PropertyList]...) throws -> AppPermissions { try AppPermissions(data) }

    @Test func `the profile's lists are applied in the order of Microsoft's plug-in`() throws {
        let lists: [String: PropertyList] = [
            "AppAllowList": " org.kiosk , org.other", "AppBlockList": "com.contoso.checkout,org.bad",
            "AppPrefixAllowList": "net.good.,org.bad",
        ]
        let rules = try rules(lists)
        func verdict(_ id: String, _ source: RegisteredApp.Source, isManaged: Bool = false) -> AppPermissions.Verdict {
            rules.verdict(
                on: RegisteredApp(bundleID: id, clientID: "c", redirectURIs: [], source: source, isManaged: isManaged))
        }
        #expect(verdict("com.contoso.rounds", .management, isManaged: true) == .permitted)
        #expect(verdict("com.contoso.checkout", .management, isManaged: true) == .blocked)
        #expect(verdict("org.kiosk", .device) == .permitted && verdict("org.other", .device) == .permitted)
        #expect(verdict("org.kiosk2", .device) == .unlisted && verdict("ORG.kiosk", .device) == .unlisted)
        #expect(verdict("net.good.app", .device) == .permitted && verdict("Net.good.app", .device) == .unlisted)
        #expect(verdict("org.bad", .device) == .blocked)
        #expect(verdict("com.contoso.x", .device, isManaged: true) == .unlisted)
        #expect(verdict("org.baton.cli", .broker) == .permitted)
    }

    @Test func `the flag for managed apps admits the apps that the MDM installed, and no others`() throws {
        let rules = try rules(["Enable_SSO_On_All_ManagedApps": 1, "AppBlockList": "org.bad"])
        func verdict(_ id: String, isManaged: Bool) -> AppPermissions.Verdict {
            rules.verdict(
                on: RegisteredApp(bundleID: id, clientID: "c", redirectURIs: [], source: .device, isManaged: isManaged))
        }
        #expect(verdict("org.any", isManaged: true) == .permitted && verdict("org.any", isManaged: false) == .unlisted)
        #expect(verdict("org.bad", isManaged: true) == .blocked)
        #expect(try !self.rules(["Enable_SSO_On_All_ManagedApps": 1], ["Enable_SSO_On_All_ManagedApps": 0]).allManaged)
        #expect(try !self.rules([:]).allManaged)
    }

    @Test(arguments: ["AppAllowList", "AppBlockList", "AppPrefixAllowList", "Enable_SSO_On_All_ManagedApps"])
    func `a rule of the wrong type is an error and does not count as absent`(key: String) {
        #expect(throws: RegistryFailure(.rules, key)) { try rules([key: ["org.a"]]) }
        #expect(throws: RegistryFailure(.rules, key)) { try rules([key: true]) }
    }

    @Test func `an app that the lists do not admit is refused for that reason, even without a client id`() async throws
    {
        var blocking = AppPermissions()
        blocking.blocked = ["com.contoso.rounds", "org.baton.cli", "org.baton.home"]
        let registry = try AppRegistry(
            managed: settings([Self.rounds], rules: blocking), file: nil, sharedUsers: [0])
        let device = snapshot(.success(registry))
        #expect(throws: BrokerError.self) { try device.checkAnyApp(for: .session) }
        let refusal = #expect(throws: BrokerError.self) { try device.app("C-1", for: .session) }
        #expect(refusal?.code == .unauthorizedClient && refusal?.reason == .blocked)
    }

    // MARK: - The file

    @Test func `a registry that another user could have written is not read`() async throws {
        try await Scratch.with { scratch in
            let folder = scratch.path("etc")
            try Directory(path: folder).make(mode: 0o755)
            let path = try scratch.write(#"{"apps":[]}"#, to: "etc/apps.json")
            #expect(try RegistryFile(path: path).entries.isEmpty)
            func refusal(_ path: String) -> RegistryFailure.Code? {
                do throws(RegistryFailure) { _ = try RegistryFile(path: path) } catch { return error.code }
                return nil
            }
            for mode in [0o620, 0o602, 0o666] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                #expect(refusal(path) == .mode)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(refusal(path) == nil)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            #expect(refusal(path) == .mode)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
            #expect(refusal(folder + "/link") == .mode)
            #expect(refusal(folder + "/none") == .missing)
            #expect(refusal(folder) == .mode)
            try #require(getuid() == 0, "a file of another user needs the right to make one")
            try FileManager.default.setAttributes([.ownerAccountID: 61_201], ofItemAtPath: path)
            #expect(refusal(path) == .owner)
            try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
            try FileManager.default.setAttributes([.ownerAccountID: 61_201], ofItemAtPath: folder)
            #expect(refusal(path) == .owner)
        }
    }
}
