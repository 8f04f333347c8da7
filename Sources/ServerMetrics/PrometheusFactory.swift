// SPDX-License-Identifier: Apache-2.0
package import CoreMetrics
package import Observability
internal import Synchronization

/// Keeps the series of a process in memory, and publishes them as Prometheus text.
///
/// A series is created only for a declared metric with declared label values. Any other request gets a handler that does
/// nothing and is counted in ``refused``, so undeclared values can neither be published nor use up memory.
package final class PrometheusFactory: MetricsFactory {
    private struct State {
        var declarations: [String: MetricDeclaration] = [:]
        var series: [String: [[String]: any Cell]] = [:]
        var observers: [@Sendable () async -> Void] = []
        var refused = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Allows the series of these metrics.
    package func declare(_ declarations: [MetricDeclaration]) {
        state.withLock { state in
            for declaration in declarations { state.declarations[declaration.name] = declaration }
        }
    }

    /// Calls `observer` before each publication. The observer sets the values that only the observed part knows.
    package func observe(_ observer: @escaping @Sendable () async -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// How many requests for undeclared series were refused.
    package var refused: Int { state.withLock { $0.refused } }

    /// The declared metrics, sorted by name.
    package var declarations: [MetricDeclaration] {
        state.withLock { $0.declarations.values.sorted { $0.name < $1.name } }
    }

    /// Returns all series with their present values.
    package func families() async -> [MetricFamily] {
        for observer in state.withLock({ $0.observers }) { await observer() }
        return state.withLock { state in
            state.series.compactMap { name, series in
                state.declarations[name].map { declaration in
                    var family = MetricFamily(declaration)
                    for (values, cell) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                        cell.add(to: &family, values)
                    }
                    return family
                }
            }
        }
    }

    /// Returns the cell of a series, which is created if it does not exist; nil if the series is not declared.
    private func cell<Wanted: Cell>(
        _ name: String, labels: [(String, String)], make: (MetricDeclaration.Kind) -> Wanted?
    ) -> Wanted? {
        state.withLock { state in
            guard let declaration = state.declarations[name], let values = declaration.values(of: labels) else {
                state.refused += 1
                return nil
            }
            if let known = state.series[name]?[values] { return known as? Wanted }
            guard let made = make(declaration.kind) else {
                state.refused += 1
                return nil
            }
            state.series[name, default: [:]][values] = made
            return made
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, labels: dimensions) { $0 == .counter ? CounterCell() : nil } ?? NOOPMetricsHandler.instance
    }

    /// Makes a gauge, or a counter whose value an observer sets.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let cell: GaugeCell? = cell(label, labels: dimensions) { kind in
            if case .histogram = kind { nil } else { GaugeCell() }
        }
        return cell ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let cell: HistogramCell? = cell(label, labels: dimensions) { kind in
            if case .histogram(let bounds) = kind { HistogramCell(bounds) } else { nil }
        }
        return cell ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        state.withLock { $0.refused += 1 }
        return NOOPMetricsHandler.instance
    }

    // Handles are kept for the life of the process.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The present value of one series.
private protocol Cell: Sendable {
    func add(to family: inout MetricFamily, _ values: [String])
}

private final class CounterCell: CounterHandler, Cell {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Does nothing: a counter never shrinks.
    func reset() {}

    func add(to family: inout MetricFamily, _ values: [String]) {
        family.add(values, Double(value.load(ordering: .relaxed)))
    }
}

private final class GaugeCell: MeterHandler, Cell {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func add(to family: inout MetricFamily, _ values: [String]) { family.add(values, value.withLock { $0 }) }
}

private final class HistogramCell: TimerHandler, Cell {
    private struct State {
        var counts: [UInt64]
        var nanoseconds: Int64 = 0
    }

    /// The upper bounds of the buckets in nanoseconds.
    private let bounds: [Int64]
    private let state: Mutex<State>

    init(_ bounds: [Double]) {
        self.bounds = bounds.map { Int64($0 * 1e9) }
        state = Mutex(State(counts: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) {
        let bucket = bounds.firstIndex { duration <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.nanoseconds &+= max(0, duration)
        }
    }

    func add(to family: inout MetricFamily, _ values: [String]) {
        let (counts, nanoseconds) = state.withLock { ($0.counts, $0.nanoseconds) }
        family.add(values, counts: counts, sum: Double(nanoseconds) / 1e9)
    }
}
