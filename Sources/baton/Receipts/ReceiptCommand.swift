// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Receipts

/// Shows and verifies the receipts of hand-overs, on the device or from a file on any machine.
struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show what a device did at each hand-over, and verify that the record was not changed.",
        subcommands: [List.self, Show.self, Export.self, Verify.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the receipts, oldest first.")
        @OptionGroup var source: ReceiptSource
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.reporting {
                let file = try await source.file()
                let receipts = file.receipts.map { ReceiptSummary($0.receipt) }
                let failure = source.failure(in: file)
                // "none" is printed only if every line could be read.
                if failure == nil || !receipts.isEmpty { try output.print(receipts, lines: table) }
                if let failure { throw failure }
            }
        }

        private func table(_ receipts: [ReceiptSummary]) -> [String] {
            TextTable.lines(
                ["NUMBER", "FINISHED", "TRIGGER", "RESULT", "TOKENS END BY", "SUBJECT"],
                receipts.map { receipt in
                    [
                        String(receipt.sequence), Self.time(receipt.finished), receipt.trigger ?? "unknown",
                        receipt.isDone ? "done" : "see items", receipt.accessTokensEndBy,
                        String(receipt.subject.prefix(16)),
                    ]
                })
        }

        static func time(_ seconds: Int) -> String {
            Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one receipt, as it was signed.")
        @Argument(help: "The receipt's number.") var sequence: Int
        @OptionGroup var source: ReceiptSource
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.reporting {
                let file = try await source.file()
                guard let found = file.receipts.first(where: { $0.receipt.place.sequence == sequence }) else {
                    // The receipt may be among the lines that cannot be read.
                    if let failure = source.failure(in: file) { throw failure }
                    throw CommandFailure(
                        code: "receipt_missing", message: "There is no receipt \(sequence).",
                        remedy: "List them: baton receipt list.")
                }
                // The line is JSON already. It is printed unchanged, as it was signed.
                try OutputOptions.print(
                    output.json
                        ? [String(decoding: found.line.bytes, as: UTF8.self)] : ReceiptSummary(found.receipt).lines)
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the receipts as lines, with everything needed to verify them elsewhere.")
        @OptionGroup var source: ReceiptSource
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.reporting {
                let text = String(decoding: try await source.bytes(), as: UTF8.self)
                guard !text.isEmpty else { return }
                try OutputOptions.print(text.hasSuffix("\n") ? [String(text.dropLast())] : [text])
            }
        }
    }
}
