// SPDX-License-Identifier: Apache-2.0
import Observability
import Testing

@Suite struct PrometheusTextTests {
    @Test func `families are written as the text format defines`() {
        var requests = MetricFamily(
            MetricDeclaration(
                "requests_total", .counter, labels: [.init("route", ["/a", "q\"b\\c\nd"])],
                help: "How many.\nReally \\ many."))
        requests.add(["/a"], 3)
        requests.add(["q\"b\\c\nd"], 0.25)
        var waits = MetricFamily(MetricDeclaration("wait_seconds", .histogram([0.5, 1]), help: "Waits."))
        waits.add(counts: [2, 0, 1], sum: 12.5)
        let empty = MetricFamily(MetricDeclaration("absent", .gauge, help: "Nothing."))
        #expect(
            PrometheusText.render([waits, requests, empty]) == """
                # HELP requests_total How many.\\nReally \\\\ many.
                # TYPE requests_total counter
                requests_total{route="/a"} 3
                requests_total{route="q\\"b\\\\c\\nd"} 0.25
                # HELP wait_seconds Waits.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.5"} 2
                wait_seconds_bucket{le="1"} 2
                wait_seconds_bucket{le="+Inf"} 3
                wait_seconds_sum 12.5
                wait_seconds_count 3

                """)
    }

    @Test(arguments: [(Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e12, "1000000000000")])
    func `numbers without a decimal form have a name`(value: Double, text: String) {
        var family = MetricFamily(MetricDeclaration("gauge", .gauge, help: "A gauge."))
        family.add([], value)
        #expect(PrometheusText.render([family]).hasSuffix("\ngauge \(text)\n"))
    }

    @Test func `only declared labels with declared values are accepted`() {
        let declaration = MetricDeclaration(
            "m", .counter, labels: [.init("a", ["1", "2"]), .init("b", ["x"])], help: "A metric.")
        #expect(declaration.values(of: [("b", "x"), ("a", "2")]) == ["2", "x"])
        #expect(declaration.values(of: [("a", "3"), ("b", "x")]) == nil)
        #expect(declaration.values(of: [("a", "1")]) == nil)
        #expect(declaration.values(of: [("a", "1"), ("b", "x"), ("c", "y")]) == nil)
        #expect(declaration.values(of: [("a", "1"), ("c", "x")]) == nil)
    }
}
