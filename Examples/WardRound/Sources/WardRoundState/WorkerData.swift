// SPDX-License-Identifier: Apache-2.0
package import Workers

/// Everything that the app holds about the worker who is signed in.
package struct WorkerData: Equatable, Sendable {
    package let worker: Worker
    /// The worker's profile in Graph; nil until it has arrived.
    package internal(set) var profile: Profile?
    /// The worker's notes; nil until they are read.
    package internal(set) var notes: [Note]?

    /// A worker has at most this many notes.
    package static let maximumNotes = 100

    /// Whether another note can be added.
    package var hasRoom: Bool { notes.map { $0.count < Self.maximumNotes } ?? false }

    package init(_ worker: Worker, profile: Profile? = nil, notes: [Note]? = nil) {
        self.worker = worker
        self.profile = profile
        self.notes = notes
    }
}
