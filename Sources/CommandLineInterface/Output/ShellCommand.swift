// SPDX-License-Identifier: Apache-2.0

/// A command for people to copy into a shell.
enum ShellCommand {
    /// Returns the command, with words in quotation marks where the shell needs them.
    static func text(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,".utf8)
}
