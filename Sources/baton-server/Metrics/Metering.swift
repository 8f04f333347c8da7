// SPDX-License-Identifier: Apache-2.0
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Logging
internal import NIOCore
internal import Observability
internal import ServerMetrics
internal import Storage

/// Counts what the server does and publishes the counts, if the configuration names a listener for metrics. Otherwise
/// nothing is counted.
struct Metering: Sendable {
    /// The listeners whose requests are counted; the values of a label.
    enum Listener: String, CaseIterable, Sendable {
        case main, devices
        /// The administration socket.
        case administration
        /// The HTTPS listener of the administration.
        case remoteAdministration = "administration-https"
    }

    private let isOn: Bool
    private let factory = PrometheusFactory()

    init(isOn: Bool) {
        self.isOn = isOn
        factory.declare(
            IdentityMetrics.declarations + MeasuredDatabase.declarations(["identity", "management"])
                + ServerGauges.declarations)
    }

    var identity: IdentityMetrics { isOn ? IdentityMetrics(factory) : IdentityMetrics() }

    /// Returns a database that measures the transactions of `database`.
    func measured(_ database: any Database, _ name: String) -> any Database {
        isOn ? MeasuredDatabase(database, name: name, factory: factory) : database
    }

    /// Returns the request metrics of each listener.
    func requests(_ routes: [Listener: [ServedRoute]]) -> [Listener: RequestMetrics] {
        guard isOn else { return [:] }
        let byName = Dictionary(uniqueKeysWithValues: routes.map { ($0.key.rawValue, $0.value) })
        factory.declare(RequestMetrics.declarations(byName))
        return Dictionary(
            uniqueKeysWithValues: routes.map { listener, routes in
                (listener, RequestMetrics(listener: listener.rawValue, routes: routes, factory: factory))
            })
    }

    /// Publishes the state of these parts as well.
    func observe(_ sources: ServerGauges.Sources, logger: Logger) {
        guard isOn else { return }
        factory.observe(ServerGauges(sources, factory: factory, logger: logger, now: { .now }).update)
    }

    /// Adds `GET /metrics`.
    func addRoute(to router: Router<BasicRequestContext>) {
        router.get("/metrics") { [factory] _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: PrometheusText.render(await factory.families()))))
        }
    }
}
