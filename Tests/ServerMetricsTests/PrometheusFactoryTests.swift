// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Observability
import ServerMetrics
import Testing

@Suite struct PrometheusFactoryTests {
    private let factory = PrometheusFactory()

    init() {
        factory.declare([
            MetricDeclaration("done_total", .counter, labels: [.init("kind", ["a", "b"])], help: "Done."),
            MetricDeclaration("held", .gauge, help: "Held."),
            MetricDeclaration("wait_seconds", .histogram([0.1, 1]), help: "Waits."),
        ])
    }

    private func text() async -> String { PrometheusText.render(await factory.families()) }

    @Test func `counters, gauges and histograms are published`() async {
        let counter = Counter(label: "done_total", dimensions: [("kind", "a")], factory: factory)
        counter.increment()
        counter.increment(by: 4)
        counter.increment(by: -100)
        let gauge = Meter(label: "held", factory: factory)
        gauge.set(2.5)
        let timer = CoreMetrics.Timer(label: "wait_seconds", factory: factory)
        timer.recordMilliseconds(100)
        timer.recordMilliseconds(200)
        timer.recordMilliseconds(20_000)
        let text = await text()
        #expect(text.contains("\ndone_total{kind=\"a\"} 5\n"))
        #expect(text.contains("\nheld 2.5\n"))
        #expect(text.contains("\nwait_seconds_bucket{le=\"0.1\"} 1\nwait_seconds_bucket{le=\"1\"} 2\n"))
        #expect(text.contains("\nwait_seconds_sum 20.3\nwait_seconds_count 3\n"))
        #expect(factory.refused == 0)
    }

    @Test func `two handles of one series count together`() async {
        for _ in 1...2 { Counter(label: "done_total", dimensions: [("kind", "b")], factory: factory).increment() }
        #expect(await text().contains("done_total{kind=\"b\"} 2\n"))
    }

    @Test func `undeclared metrics and label values are refused`() async {
        Counter(label: "done_total", dimensions: [("kind", "amalia@contoso.test")], factory: factory).increment()
        Counter(label: "done_total", dimensions: [("kind", "a"), ("user", "amalia")], factory: factory).increment()
        Counter(label: "done_total", factory: factory).increment()
        Counter(label: "unknown_total", factory: factory).increment()
        Counter(label: "held", factory: factory).increment()
        CoreMetrics.Timer(label: "held", factory: factory).recordNanoseconds(1)
        Recorder(label: "held", factory: factory).record(1)
        #expect(factory.refused == 7)
        #expect(await text().isEmpty)
    }

    @Test func `observers run before each publication`() async {
        let gauge = Meter(label: "held", factory: factory)
        factory.observe { gauge.increment() }
        #expect(await text().contains("held 1\n"))
        #expect(await text().contains("held 2\n"))
    }
}
