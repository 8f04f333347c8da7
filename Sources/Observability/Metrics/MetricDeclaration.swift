// SPDX-License-Identifier: Apache-2.0

/// A metric that a program may publish: its name, its meaning, and every value that each of its labels may have.
///
/// The values are closed sets, so the number of series is bounded, and no label can identify a person or a device.
package struct MetricDeclaration: Sendable {
    package enum Kind: Sendable, Equatable {
        /// A number that only grows while the program runs.
        case counter
        /// A number that grows and shrinks.
        case gauge
        /// The distribution of durations; the values are the upper bounds of the buckets, in seconds and ascending.
        case histogram([Double])
    }

    package struct Label: Sendable {
        package let name: String
        package let values: Set<String>

        package init(_ name: String, _ values: some Sequence<String>) {
            (self.name, self.values) = (name, Set(values))
        }

        /// A label whose values are the cases of an enum.
        package init<Values: CaseIterable & RawRepresentable<String>>(_ name: String, _ values: Values.Type) {
            self.init(name, values.allCases.map(\.rawValue))
        }
    }

    package let name: String
    package let help: String
    package let kind: Kind
    package let labels: [Label]

    package init(_ name: String, _ kind: Kind, labels: [Label] = [], help: String) {
        (self.name, self.help, self.kind, self.labels) = (name, help, kind, labels)
    }

    /// Returns the values of `labels` in the declared order; nil unless exactly the declared labels are given, each with
    /// a declared value.
    package func values(of labels: [(String, String)]) -> [String]? {
        guard labels.count == self.labels.count else { return nil }
        var values: [String] = []
        for label in self.labels {
            guard let value = labels.first(where: { $0.0 == label.name })?.1, label.values.contains(value) else {
                return nil
            }
            values.append(value)
        }
        return values
    }
}
