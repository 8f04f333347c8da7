// SPDX-License-Identifier: Apache-2.0
internal import WebPages

/// The pages shown in the browser at the end of a sign-in. They contain no names.
enum LoopbackPage: CaseIterable {
    case done, refused, opening, unknown

    private var texts: (title: BrokerText, text: BrokerText) {
        switch self {
        case .done: (.signedIn, .signedInText)
        case .refused: (.notSignedIn, .notSignedInText)
        case .opening: (.oneMoment, .oneMomentText)
        case .unknown: (.nothingHere, .nothingHereText)
        }
    }

    func text(in language: Language) -> String {
        let (title, text) = texts
        return FormPage(title.text(in: language), in: language, loading: LoopbackFile.addresses)
            .text("<p>\(text.text(in: language))</p>")
    }

    /// The header fields of these pages.
    static let headers = [("Content-Security-Policy", LoopbackFile.policy), ("Referrer-Policy", "no-referrer")]
}
