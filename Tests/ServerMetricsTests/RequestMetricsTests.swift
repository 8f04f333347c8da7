// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Observability
import ServerMetrics
import Testing

@Suite struct RequestMetricsTests {
    private let factory = PrometheusFactory()
    private let metrics: RequestMetrics

    init() {
        let routes = [
            ServedRoute(method: .get, path: "/{tenant}/authorize"), ServedRoute(method: .post, path: "/{tenant}/token"),
            ServedRoute(method: .post, path: "/{tenant}/authorize"),
        ]
        factory.declare(RequestMetrics.declarations(["main": routes]))
        metrics = RequestMetrics(listener: "main", routes: routes, factory: factory)
    }

    @Test func `requests are counted by route and status`() async {
        metrics.record(.get, path: "/{tenant}/authorize", status: 302, duration: .milliseconds(3))
        metrics.record(.get, path: "/{tenant}/authorize", status: 302, duration: .milliseconds(7))
        metrics.record(.get, path: "/{tenant}/authorize", status: nil, duration: .seconds(60))
        let text = PrometheusText.render(await factory.families())
        let labels = "listener=\"main\",method=\"GET\",route=\"/{tenant}/authorize\""
        #expect(text.contains("baton_http_requests_total{\(labels),status=\"302\"} 2\n"))
        #expect(text.contains("baton_http_requests_total{\(labels),status=\"none\"} 1\n"))
        #expect(text.contains("baton_http_requests_total{\(labels),status=\"500\"} 0\n"))
        #expect(text.contains("baton_http_request_duration_seconds_bucket{\(labels),le=\"0.005\"} 1\n"))
        #expect(text.contains("baton_http_request_duration_seconds_count{\(labels)} 3\n"))
        #expect(!text.contains("POST"))
        #expect(factory.refused == 0)
    }

    @Test func `whatever a client sends, the number of series is bounded`() async {
        for number in 0..<2000 {
            metrics.record(
                .init(rawValue: "M\(number)") ?? .get, path: "/someone@contoso.test/\(number)", status: 600 + number,
                duration: .zero)
        }
        let families = await factory.families()
        let samples = families.flatMap(\.samples)
        #expect(samples.count < 40)
        #expect(!PrometheusText.render(families).contains("contoso"))
        #expect(factory.refused == 0)
    }
}
