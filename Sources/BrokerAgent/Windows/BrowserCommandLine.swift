// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The command line that starts a browser, with placeholders.
package struct BrowserCommandLine: Sendable, Equatable {
    /// The program (an absolute path) and its arguments. `{profile}` and `{url}` are replaced wherever they occur;
    /// `{url}` is replaced by the `file:` address of a ``StartPage``.
    package let words: [String]

    /// The sign-in window of a device whose worker's browser is Firefox.
    static let signInWindow = BrowserCommandLine(checked: [
        ManagedBrowser.chromium, "--user-data-dir={profile}", "--no-first-run", "--app={url}",
    ])

    private init(checked words: some Sequence<String>) { self.words = Array(words) }

    /// Checks the command line.
    ///
    /// - Parameter key: the configuration's key, for errors.
    /// - Throws: ``ConfigurationFailure`` if the program is not an absolute path or a placeholder is missing.
    package init(_ words: [String], key: String) throws(ConfigurationFailure) {
        guard let program = words.first, program.hasPrefix("/") else {
            throw ConfigurationFailure(
                key: key, cause: "does not begin with an absolute path",
                remedy: "Give the program's full path, such as /usr/bin/chromium.")
        }
        for placeholder in ["{profile}", "{url}"] {
            guard words.dropFirst().contains(where: { $0.contains(placeholder) }) else {
                throw ConfigurationFailure(
                    key: key, cause: "lacks \(placeholder)",
                    remedy: "Add an argument with \(placeholder), such as --user-data-dir={profile} or {url}.")
            }
        }
        self.words = words
    }

    var program: String { words[0] }

    /// The path of the browser's own program: Chromium's if the command names it, otherwise the command's first word. A
    /// command may start Chromium through other programs.
    var browser: String { words.first { $0 == ManagedBrowser.chromium } ?? words[0] }

    /// The command with further options of the browser. They come before the page, because a command may start the
    /// browser through other programs, which look for the page at the end.
    func adding(_ options: [String]) -> BrowserCommandLine {
        guard let place = words.firstIndex(where: { $0.contains("{url}") }) else { return self }
        return BrowserCommandLine(checked: words[..<place] + options + words[place...])
    }

    /// The arguments for one page.
    func arguments(profile: String, page: StartPage) -> [String] {
        words.dropFirst().map { $0.replacing("{profile}", with: profile).replacing("{url}", with: page.url) }
    }

    /// The arguments for the worker's pages, each of which replaces the word `{url}`. An option such as `--app={url}`
    /// is for sign-in pages only, so it becomes the word `{url}` alone.
    func pageArguments(profile: String) -> [String] {
        words.dropFirst().map { $0.contains("{url}") ? "{url}" : $0.replacing("{profile}", with: profile) }
    }
}
