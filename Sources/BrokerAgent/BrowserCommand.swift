// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The command line that starts a browser, with placeholders.
package struct BrowserCommand: Sendable, Equatable {
    /// The program (an absolute path) and its arguments. `{profile}` and `{url}` are replaced wherever they occur;
    /// `{url}` is replaced by the `file:` address of a ``StartPage``.
    package let words: [String]

    /// Checks the command line.
    ///
    /// - Throws: ``ConfigurationFailure`` if the program is not an absolute path or a placeholder is missing.
    package init(_ words: [String]) throws(ConfigurationFailure) {
        guard let program = words.first, program.hasPrefix("/") else {
            throw ConfigurationFailure(
                key: "browser.command", cause: "does not begin with an absolute path",
                remedy: "Give the program's full path, such as /usr/bin/chromium.")
        }
        for placeholder in ["{profile}", "{url}"] {
            guard words.dropFirst().contains(where: { $0.contains(placeholder) }) else {
                throw ConfigurationFailure(
                    key: "browser.command", cause: "lacks \(placeholder)",
                    remedy: "Add an argument with \(placeholder), such as --user-data-dir={profile} or {url}.")
            }
        }
        self.words = words
    }

    var program: String { words[0] }

    /// The arguments for one page. For a worker's page, the word with `{url}` becomes the address alone, so that an
    /// option such as `--app={url}` opens sign-in pages only.
    func arguments(profile: String, page: StartPage, isWorkers: Bool) -> [String] {
        words.dropFirst().map { word in
            if isWorkers, word.contains("{url}") { return page.url }
            return word.replacing("{profile}", with: profile).replacing("{url}", with: page.url)
        }
    }
}
