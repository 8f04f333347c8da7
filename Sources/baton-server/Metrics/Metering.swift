// SPDX-License-Identifier: Apache-2.0
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import IdentityPlatform
internal import Logging
internal import NIOCore
internal import Observability
internal import ServerMetrics
internal import ServiceLifecycle
internal import Storage

/// Counts what the server does and publishes it, if the configuration says where. Otherwise nothing is counted.
struct Metering: Sendable {
    /// The listeners whose requests are counted; the values of a label.
    enum Listener: String, CaseIterable, Sendable { case main, devices, administration }

    private let configuration: ServerConfiguration.Metrics?
    private let factory = PrometheusFactory()

    init(_ configuration: ServerConfiguration.Metrics?) {
        self.configuration = configuration
        factory.declare(
            IdentityMetrics.declarations + MeasuredDatabase.declarations(["identity", "management"])
                + ServerGauges.declarations)
    }

    /// The number of listeners that ``services(readiness:logger:)`` opens.
    var listeners: Int { configuration == nil ? 0 : 1 }

    var identity: IdentityMetrics { configuration == nil ? IdentityMetrics() : IdentityMetrics(factory) }

    /// Returns a database that measures the transactions of `database`.
    func measured(_ database: any Database, _ name: String) -> any Database {
        configuration == nil ? database : MeasuredDatabase(database, name: name, factory: factory)
    }

    /// Returns what counts the requests of each listener.
    func requests(_ routes: [Listener: [ServedRoute]]) -> [Listener: RequestMetrics] {
        guard configuration != nil else { return [:] }
        let byName = Dictionary(uniqueKeysWithValues: routes.map { ($0.key.rawValue, $0.value) })
        factory.declare(RequestMetrics.declarations(byName))
        return Dictionary(
            uniqueKeysWithValues: routes.map { listener, routes in
                (listener, RequestMetrics(listener: listener.rawValue, routes: routes, factory: factory))
            })
    }

    /// Publishes the state of these parts as well.
    func observe(_ sources: ServerGauges.Sources, logger: Logger) {
        guard configuration != nil else { return }
        factory.observe(ServerGauges(sources, factory: factory, logger: logger, now: { .now }).update)
    }

    /// Returns the listener, which serves `GET /metrics` without TLS and without authentication.
    func services(readiness: Readiness, logger: Logger) -> [any Service] {
        guard let configuration else { return [] }
        let router = Router(context: BasicRequestContext.self)
        router.get("metrics") { [factory] _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: PrometheusText.render(await factory.families()))))
        }
        return [
            Application(
                router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
                configuration: ApplicationConfiguration(
                    address: .hostname(configuration.address, port: configuration.port), serverName: nil),
                onServerRunning: { _ in readiness.opened() }, logger: logger)
        ]
    }
}
