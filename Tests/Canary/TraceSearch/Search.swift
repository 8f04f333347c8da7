// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A search of named places for canaries, with its expected result.
package struct Search {
    /// A file or a folder, or a process.
    package enum Place: Equatable {
        case files(path: String)
        case process(Int32)
    }

    /// A condition on the result.
    package enum Expectation: Equatable {
        /// No place holds a canary.
        case none
        case noneIn(place: String)
        /// The place holds this canary; any canary if nil.
        case hit(place: String, canary: String?)
    }

    private let needles: Needles
    private let places: [(name: String, place: Place)]
    private let absentIsNone: Set<String>
    private let expectations: [Expectation]

    /// - Parameter absentIsNone: The places that may be missing.
    /// - Throws: ``WrongCall`` for an expectation that could never fail, such as an expectation about a place that is
    ///   not searched.
    package init(
        for canaries: [String: Canary], in places: [(name: String, place: Place)], absentIsNone: [String] = [],
        expecting expectations: [Expectation]
    ) throws(WrongCall) {
        let names = Set(places.map(\.name))
        guard !places.isEmpty else { throw WrongCall("nothing to search") }
        guard names.count == places.count else { throw WrongCall("two places of one name") }
        for case (let name, .process(getpid())) in places {
            throw WrongCall("\(name) is the search itself, which holds every canary")
        }
        guard !expectations.isEmpty else { throw WrongCall("nothing is expected") }
        let ruled = absentIsNone + expectations.compactMap(\.place)
        if let unknown = ruled.first(where: { !names.contains($0) }) {
            throw WrongCall("a rule names the place \(unknown), which is not searched")
        }
        for case .hit(_, let canary?) in expectations where canaries[canary] == nil {
            throw WrongCall("a rule names the canary \(canary), which is not searched for")
        }
        needles = Needles(canaries)
        self.places = places
        self.absentIsNone = Set(absentIsNone)
        self.expectations = expectations
    }

    /// Searches everything.
    package func run() -> SearchReport {
        let surfaces = places.map { name, place in
            let surface = Surface(name, needles: needles)
            switch place {
            case .files(let path): surface.searchFiles(at: path, absentIsNone: absentIsNone.contains(name))
            case .process(let pid): surface.searchProcess(pid)
            }
            return surface
        }
        return SearchReport(
            surfaces: surfaces, canaries: needles.names, broken: expectations.flatMap { broken($0, surfaces) })
    }

    private func broken(_ expectation: Expectation, _ surfaces: [Surface]) -> [String] {
        switch expectation {
        case .none: surfaces.flatMap { held(by: $0) }
        case .noneIn(let place): surfaces.filter { $0.name == place }.flatMap { held(by: $0) }
        case .hit(let place, nil):
            surfaces.filter { $0.name == place && $0.hits.isEmpty }.map { "\($0.name) holds no canary" }
        case .hit(let place, let canary?):
            surfaces.filter { $0.name == place && $0.hits[canary] == nil }.map { "\($0.name) does not hold \(canary)" }
        }
    }

    private func held(by surface: Surface) -> [String] {
        surface.hits.keys.sorted().map { "\(surface.name) holds \($0)" }
    }
}

extension Search.Expectation {
    fileprivate var place: String? {
        switch self {
        case .none: nil
        case .noneIn(let place), .hit(let place, _): place
        }
    }
}
