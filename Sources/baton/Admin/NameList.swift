// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Foundation

/// The names of objects that a command acts on one after the other: arguments, or the lines of a file.
struct NameList: ParsableArguments {
    @Argument(help: "The names or ids.") var names: [String] = []
    @Option(help: "A file with one name or id on each line; - reads standard input.") var from: String?

    func validate() throws {
        if names.isEmpty == (from == nil) { throw ValidationError("Give names, or --from with a file of names.") }
    }

    /// The highest number of bytes of a file of names.
    private static let limit = 16 << 20

    /// Acts on each object of a group, and prints how many there were. The first refusal ends the command. The acts before
    /// it stay done, so the command can be repeated with the rest of the list.
    ///
    /// - Parameters:
    ///   - place: the name of the object's place in the operation's path.
    ///   - done: returns the line to print for a number of objects.
    func change(
        _ endpoint: Endpoint<Empty, Empty>, of group: String, each place: String, _ admin: AdminOptions,
        done: (Int) -> String
    ) async throws {
        try await admin.output.run({
            let names = try all()
            for (number, name) in names.enumerated() {
                do { try await admin.call(endpoint(["group": group, place: name])) } catch {
                    if number > 0 {
                        admin.output.warn(["\(number) of \(names.count) are done; the next one is \(name)."])
                    }
                    throw error
                }
            }
            return Changed(changed: names.count)
        }) { [done($0.changed)] }
    }

    private struct Changed: Encodable {
        let changed: Int
    }

    /// - Throws: ``CommandFailure``
    private func all() throws -> [String] {
        guard let from else { return names }
        let path = from == "-" ? "/dev/stdin" : from
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.limit + 1),
            data.count <= Self.limit, let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure(
                code: "file_unreadable", message: "\(from) cannot be read as a list of names.",
                remedy: "Name a file in UTF-8 with one name on each line, of at most 16 MiB.")
        }
        // Editors on other systems begin a file with a byte-order mark.
        let lines = text.trimmingPrefix("\u{FEFF}").split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let names = lines.filter { !$0.isEmpty }
        guard !names.isEmpty else {
            throw CommandFailure(
                code: "file_empty", message: "\(from) contains no name.", remedy: "Write one name on each line.")
        }
        return names
    }
}
