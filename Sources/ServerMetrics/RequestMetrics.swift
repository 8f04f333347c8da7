// SPDX-License-Identifier: Apache-2.0
package import CoreMetrics
package import HTTPTypes
package import Hummingbird
package import Observability
internal import Synchronization

/// A route of a listener: its method, and its path with the names of the parameters in place of their values.
package struct ServedRoute: Hashable, Sendable {
    package let method: HTTPRequest.Method
    package let path: String

    package init(method: HTTPRequest.Method, path: String) { (self.method, self.path) = (method, path) }

    /// Returns the routes of a router.
    package static func all<Context>(of router: Router<Context>) -> [ServedRoute] {
        router.routes.map { ServedRoute(method: $0.method, path: $0.path.description) }
    }
}

/// Counts the requests of one listener by route and status, and measures how long each takes until its response begins.
///
/// The series are bounded by the listener's routes, and requests that match no route share one series. The handles of a
/// route are created at its first request and are used by all later ones.
package final class RequestMetrics: Sendable {
    /// The statuses that have a series of their own.
    package static let statuses = [
        200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 411, 412, 413,
        414, 415, 416, 421, 422, 429, 431, 500, 501, 502, 503, 504,
    ]
    /// The label value of a method, route or status without a series of its own.
    package static let other = "other"
    /// The status of a request that ended without a response, because the client is gone or the server is stopping.
    package static let none = "none"

    private static let requests = "baton_http_requests_total"
    private static let duration = "baton_http_request_duration_seconds"
    private static let bounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Returns the declarations for these listeners.
    package static func declarations(_ listeners: [String: [ServedRoute]]) -> [MetricDeclaration] {
        let routes = listeners.values.joined()
        let labels: [MetricDeclaration.Label] = [
            .init("listener", listeners.keys), .init("method", routes.map(\.method.rawValue) + [other]),
            .init("route", routes.map(\.path) + [other]),
        ]
        let status = MetricDeclaration.Label("status", statuses.map(String.init) + [other, none])
        return [
            MetricDeclaration(
                requests, .counter, labels: labels + [status],
                help:
                    "Requests by listener, method, route template and status. Status none: the request ended without a "
                    + "response."),
            MetricDeclaration(
                duration, .histogram(bounds), labels: labels, help: "Time from a request's head to its response's head."
            ),
        ]
    }

    private let routes: [String: [(method: HTTPRequest.Method, handles: Handles)]]
    private let unmatched: Handles

    /// - Parameter factory: must have the declarations for this listener.
    package init(listener: String, routes: [ServedRoute], factory: any MetricsFactory) {
        self.routes = Dictionary(grouping: routes, by: \.path).mapValues { routes in
            routes.map { route in
                let labels = [("listener", listener), ("method", route.method.rawValue), ("route", route.path)]
                return (route.method, Handles(labels, factory))
            }
        }
        unmatched = Handles(
            [("listener", listener), ("method", Self.other), ("route", Self.other)], factory)
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - path: the matched route's path; nil if no route matched.
    ///   - status: the response's status; nil if there is no response.
    package func record(_ method: HTTPRequest.Method, path: String?, status: Int?, duration: Duration) {
        let handles = path.flatMap { routes[$0] }?.first { $0.method == method }?.handles ?? unmatched
        let (seconds, attoseconds) = duration.components
        handles.record(status, nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The handles of one route.
    private final class Handles: Sendable {
        private struct State {
            var timer: CoreMetrics.Timer?
            /// By status; 0 for a request without a response.
            var counters: [Int: Counter] = [:]
        }

        private let labels: [(String, String)]
        private let factory: any MetricsFactory
        private let state = Mutex(State())

        init(_ labels: [(String, String)], _ factory: any MetricsFactory) {
            (self.labels, self.factory) = (labels, factory)
        }

        func record(_ status: Int?, nanoseconds: Int64) {
            let handles = state.withLock { state -> (CoreMetrics.Timer, Counter) in
                let timer = knownTimer(&state)
                return (timer, knownCounter(status ?? 0, &state))
            }
            handles.0.recordNanoseconds(nanoseconds)
            handles.1.increment()
        }

        /// Returns the route's timer. At the route's first request, also creates the counter of server errors, so that
        /// the rate of errors is 0 instead of missing.
        private func knownTimer(_ state: inout State) -> CoreMetrics.Timer {
            if let timer = state.timer { return timer }
            let timer = CoreMetrics.Timer(label: RequestMetrics.duration, dimensions: labels, factory: factory)
            state.timer = timer
            _ = knownCounter(500, &state)
            return timer
        }

        private func knownCounter(_ status: Int, _ state: inout State) -> Counter {
            if let counter = state.counters[status] { return counter }
            let text =
                switch status {
                case 0: RequestMetrics.none
                case let known where RequestMetrics.statuses.contains(known): String(known)
                default: RequestMetrics.other
                }
            let counter = Counter(
                label: RequestMetrics.requests, dimensions: labels + [("status", text)], factory: factory)
            state.counters[status] = counter
            return counter
        }
    }
}

/// Passes requests to a responder and counts them.
package struct MeasuredResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: RequestContext {
    private let base: Base
    private let metrics: RequestMetrics?

    /// - Parameter metrics: nil to count nothing.
    package init(_ base: Base, _ metrics: RequestMetrics?) { (self.base, self.metrics) = (base, metrics) }

    package func respond(to request: Request, context: Base.Context) async throws -> Response {
        guard let metrics else { return try await base.respond(to: request, context: context) }
        let begun = ContinuousClock.now
        do {
            let response = try await base.respond(to: request, context: context)
            metrics.record(
                request.method, path: context.endpointPath, status: response.status.code,
                duration: begun.duration(to: .now))
            return response
        } catch {
            // The HTTP server turns an unexpected error into status 500. A cancelled request gets no response.
            metrics.record(
                request.method, path: context.endpointPath, status: error is CancellationError ? nil : 500,
                duration: begun.duration(to: .now))
            throw error
        }
    }
}
