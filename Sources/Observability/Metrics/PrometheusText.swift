// SPDX-License-Identifier: Apache-2.0

/// The text format of Prometheus, version 0.0.4.
package enum PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the text of the families that have series, sorted by name.
    package static func render(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families.sorted(by: { $0.declaration.name < $1.declaration.name }) where !family.samples.isEmpty {
            let declaration = family.declaration
            text += "# HELP \(declaration.name) \(escaped(declaration.help, quotes: false))\n"
            text += "# TYPE \(declaration.name) \(type(of: declaration.kind))\n"
            for sample in family.samples {
                text += declaration.name + sample.suffix + labels(sample.labels) + " " + number(sample.value) + "\n"
            }
        }
        return text
    }

    private static func type(of kind: MetricDeclaration.Kind) -> String {
        switch kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    private static func labels(_ labels: [String]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = stride(from: 0, to: labels.count - 1, by: 2).map { index in
            "\(labels[index])=\"\(escaped(labels[index + 1], quotes: true))\""
        }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// Returns a number as the format requires; whole numbers have no fraction.
    package static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        return value.description
    }
}
