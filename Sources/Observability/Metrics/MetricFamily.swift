// SPDX-License-Identifier: Apache-2.0

/// The published series of one metric.
package struct MetricFamily: Sendable {
    /// One line of a family: a series and its present value.
    package struct Sample: Sendable, Equatable {
        /// What follows the family's name: `_bucket`, `_sum` or `_count` of a histogram; otherwise empty.
        package let suffix: String
        /// The names and values of the labels.
        package let labels: [String]
        package let value: Double
    }

    package let declaration: MetricDeclaration
    package private(set) var samples: [Sample] = []

    package init(_ declaration: MetricDeclaration) { self.declaration = declaration }

    /// Adds the series with these label values, which are in the declared order.
    package mutating func add(_ values: [String] = [], _ value: Double) {
        samples.append(Sample(suffix: "", labels: labels(values), value: value))
    }

    /// Adds a histogram's series with these label values.
    ///
    /// - Parameters:
    ///   - counts: how many durations fell into each bucket; the last count is of durations above every bound.
    ///   - sum: the sum of all durations in seconds.
    package mutating func add(_ values: [String] = [], counts: [UInt64], sum: Double) {
        guard case .histogram(let bounds) = declaration.kind, counts.count == bounds.count + 1 else { return }
        let names = labels(values)
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            samples.append(Sample(suffix: "_bucket", labels: names + ["le", bound], value: Double(total)))
        }
        samples.append(Sample(suffix: "_sum", labels: names, value: sum))
        samples.append(Sample(suffix: "_count", labels: names, value: Double(total)))
    }

    private func labels(_ values: [String]) -> [String] {
        zip(declaration.labels, values).flatMap { [$0.name, $1] }
    }
}
