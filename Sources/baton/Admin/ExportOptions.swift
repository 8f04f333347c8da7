// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Files

/// Where the lines of an export go: to standard output as they arrive, or into a new file, which exists only once the
/// export is complete.
struct ExportOptions: ParsableArguments {
    @Option(help: "A new file for the export, which only its owner may read (default: standard output).")
    var output: String?
    @OptionGroup var admin: AdminOptions

    /// The output for `--json`.
    private struct Written: Encodable {
        let file: String
        let lines: Int
    }

    /// Fetches an export.
    func run(_ request: AdminRequest<Export>) async throws {
        let request = admin.completed(request)
        try await admin.output.reporting {
            let client = try admin.client
            guard let output else {
                _ = try await client.export(request) { try OutputOptions.print($0) }
                return
            }
            let count = try await OutputFile.with(output) { draft in
                let count = try await client.export(request) { lines in
                    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
                    try OutputFile.reporting(output) { () throws(FileError) in try draft.append(text) }
                }
                try OutputFile.reporting(output) { () throws(FileError) in try draft.publish() }
                return count
            }
            try admin.output.print(Written(file: output, lines: count)) { ["\($0.lines) lines are in \($0.file)."] }
        }
    }
}
