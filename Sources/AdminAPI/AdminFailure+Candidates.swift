// SPDX-License-Identifier: Apache-2.0

extension AdminFailure {
    /// An object that an ambiguous name can mean.
    package struct Candidate: Codable, Sendable, Equatable {
        /// The id, which names this object and no other.
        package let id: String
        package let name: String

        package init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// The objects that an ambiguous name can mean.
    package struct Candidates: Sendable, Equatable {
        /// The maximum number of objects that a refusal lists.
        package static let limit = 10

        package let listed: [Candidate]
        /// How many further objects the name can mean.
        package let more: Int

        /// - Parameter count: the number of all objects that the name can mean.
        package init(_ candidates: [Candidate], of count: Int) {
            listed = Array(candidates.prefix(Self.limit))
            more = max(0, count - listed.count)
        }

        /// The objects as part of a sentence.
        package var words: String {
            let names = listed.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
            return more > 0 ? "\(names) and \(more) more" : names
        }
    }
}
