// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import MDMProtocol
internal import Storage

/// The administration routes for apps and their configuration.
struct AppRoutes: Sendable {
    let database: any Database
    let sources: MDMSources
    let packages: any PackageStore
    let addresses: DeviceAddresses
    let log: MDMAdminLog
    let commands: CommandRequests
    let search: ManagedDeviceSearch

    func add(to router: MDMAdminRouter) {
        router.on(list: MDMAdmin.listApps) { call, page in
            let apps = try await database.read { try Apps(connection: $0, tenant: call.tenant).all(on: page) }
            return Page(apps, of: page, key: \.listKey, shown: Self.description)
        }
        router.on(MDMAdmin.addApp) { call, body in
            Self.description(of: try await register(try body.decoded(), call))
        }
        router.on(MDMAdmin.installApp, limit: MDMAdminCall.maximumBody) { call, body in
            try await push(try body.decoded(), call)
        }
        router.on(MDMAdmin.configureApp, limit: MDMAdminCall.maximumBody) { call, body in
            try await configure(try body.decoded(), call)
        }
        router.on(MDMAdmin.removeAppConfiguration) { call in try await configure(nil, call) }
    }

    /// Copies the package, computes its digest and offers the app to devices.
    private func register(_ new: MDMAdmin.NewApp, _ call: MDMAdminCall) async throws -> OfferedApp {
        guard AppManifest.isSafeName(new.bundleIdentifier), new.bundleIdentifier.contains(".") else {
            throw MDMAdminRefusal(
                .badApp, "\(new.bundleIdentifier) is not a bundle identifier.",
                remedy: "Use letters, digits, hyphens, underscores and at least one dot, such as org.contoso.rounds.")
        }
        guard AppManifest.isSafeName(new.version) else {
            throw MDMAdminRefusal(.badApp, "\(new.version) is not a version.")
        }
        guard ShownText.managedName.accepts(new.title) else {
            throw MDMAdminRefusal(
                .badApp, "The app's title is too long, has nothing visible, or has a control or invisible character.",
                remedy: "Use 1 to 128 visible characters, without line breaks.")
        }
        let stored = try await packages.store(new.path)
        let app = OfferedApp(
            bundleIdentifier: new.bundleIdentifier, version: new.version, title: new.title, size: stored.size,
            sha256: stored.sha256, createdAt: sources.now())
        try await call.act(on: database, at: app.createdAt) { connection in
            try packages.confirm(stored, in: connection)
            try Apps(connection: connection, tenant: call.tenant).put(app)
            try log.record(.appOffered, app.bundleIdentifier, detail: app.version, of: call, in: connection)
        }
        return app
    }

    private func push(_ wanted: MDMAdmin.PushedApp, _ call: MDMAdminCall) async throws -> MDMAdmin.Command {
        let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
        let name = try call.name("app")
        let (identifier, app) = try await database.read { connection in
            let apps = Apps(connection: connection, tenant: call.tenant)
            let identifier = try NamedItems(connection).app(name, tenant: call.tenant) ?? name.text
            let app = try wanted.version.map { try apps.find(identifier, version: $0) } ?? apps.newest(identifier)
            return (identifier, app)
        }
        try Self.check(wanted.configuration, of: identifier)
        guard let app else {
            throw MDMAdminRefusal(
                .noApp,
                "There is no app \(name.text)\(wanted.version.map { " of version \($0)" } ?? "") in the tenant.")
        }
        let install = MDMProtocol.Command.InstallApplication(
            manifestURL: addresses.manifest(of: identifier, version: app.version, tenant: call.tenant),
            configuration: wanted.configuration?.mapValues(\.propertyList))
        return try await commands.enqueue(
            .installApplication(install), about: "\(identifier) \(app.version)", logged: identifier, for: udid, call)
    }

    private func configure(_ configuration: MDMAdmin.Configuration?, _ call: MDMAdminCall) async throws
        -> MDMAdmin.Command
    {
        let udid = try await search.device(try call.name("device"), tenant: call.tenant).udid
        let name = try call.name("app")
        let identifier = try await database.read { try NamedItems($0).app(name, on: udid, tenant: call.tenant) }
        try Self.check(configuration, of: identifier)
        let setting = MDMProtocol.Command.Setting.applicationConfiguration(
            identifier: identifier, configuration: configuration?.mapValues(\.propertyList))
        return try await commands.enqueue(.settings([setting]), about: identifier, for: udid, call)
    }

    /// Refuses a configuration that no property list can have, a configuration of the broker that would silently keep a
    /// device from being shared, and folders of data that would make a device refuse an app's configuration.
    private static func check(_ configuration: MDMAdmin.Configuration?, of app: String) throws {
        guard let configuration = configuration?.mapValues(\.propertyList) else { return }
        do throws(PropertyListError) { _ = try PropertyList.dictionary(configuration).xml() } catch {
            throw MDMAdminRefusal(
                .badConfiguration, detail: "A text has a character that no configuration can have.")
        }
        guard
            let problem = app == AppConfiguration.broker
                ? AppConfigurationProblem(in: configuration) : AppConfigurationProblem(inFoldersOf: configuration)
        else { return }
        throw MDMAdminRefusal(.badConfiguration, detail: "\(problem.message). \(problem.remedy)")
    }

    private static func description(of app: OfferedApp) -> MDMAdmin.App {
        MDMAdmin.App(
            bundleIdentifier: app.bundleIdentifier, version: app.version, title: app.title, size: app.size,
            sha256: app.sha256, addedAt: app.createdAt.rawValue)
    }
}

extension MDMAdmin.Value {
    var propertyList: PropertyList {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.propertyList))
        case .dictionary(let members): .dictionary(members.mapValues(\.propertyList))
        }
    }
}
