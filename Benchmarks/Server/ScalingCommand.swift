// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials

/// The cost of the most frequent operations in databases of several sizes.
struct ScalingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scaling", abstract: "Measures operations in small and in large databases.",
        discussion: """
            The databases are filled in bulk. Each figure is the median of one operation at a time. The databases take \
            turns, so that all of them are measured under the same conditions.
            """)

    @Option(help: "The folder for the databases, on the disk that the server would use.") var directory = "."
    @Option(parsing: .upToNextOption, help: "How many users, devices and sessions each database has.")
    var sizes = [1_000, 10_000, 100_000]
    @Option(help: "How often each operation is measured in each database.") var calls = 1_000

    func run() throws {
        let (directory, sizes, calls) = (directory, sizes, calls)
        try blocking {
            let keys = try DeviceKeys()
            var populations: [Population] = []
            for size in sizes {
                let folder = "\(directory)/\(size)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let begin = ContinuousClock.now
                populations.append(try await Population(size: size, folder: folder, deviceKeys: keys))
                report("filled the databases of \(size) in \(Int(begin.duration(to: .now).inSeconds)) s")
            }
            for (name, prepare) in Population.operations {
                let costs = try await Costs(of: prepare, in: populations, calls: calls)
                Figure("scaling", "\(name): time", points: costs.times).print()
                Figure("scaling", "\(name): processor time", points: costs.processor).print()
            }
        }
    }
}

/// The median costs of an operation, in microseconds.
private struct Costs {
    private(set) var times: [Figure.Point] = []
    private(set) var processor: [Figure.Point] = []

    init(
        of prepare: @Sendable (Population, Int) async throws -> Population.Operation, in populations: [Population],
        calls: Int
    ) async throws {
        let (perRound, warmUp) = (10, 3)
        var all = populations.map { _ in (times: [Double](), processor: [Double]()) }
        for round in 0..<warmUp + max(1, calls / perRound) {
            for (index, population) in populations.enumerated() {
                for call in 0..<perRound {
                    let operation = try await prepare(population, round * perRound + call)
                    let (start, used) = (ContinuousClock.now, ProcessorTime.now)
                    try await operation()
                    guard round >= warmUp else { continue }
                    all[index].processor.append(ProcessorTime.now - used)
                    all[index].times.append(start.duration(to: .now).inSeconds)
                }
            }
        }
        for (population, costs) in zip(populations, all) {
            times.append(Figure.Point(n: population.size, value: median(costs.times) * 1e6))
            processor.append(Figure.Point(n: population.size, value: median(costs.processor) * 1e6))
        }
    }
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
