// SPDX-License-Identifier: Apache-2.0

/// An app's process that the agent ended because the process had not erased a former worker's data.
struct EndedProcess: Sendable, Equatable {
    let app: String
    let pid: Int32
    /// The names of the process's erasers that had not erased their data; an empty name stands for the eraser without a
    /// name.
    let erasers: [String]

    /// The erasers' names as one text.
    var eraserText: String {
        erasers.isEmpty ? "-" : erasers.map { $0.isEmpty ? "(unnamed)" : $0 }.joined(separator: ", ")
    }
}
