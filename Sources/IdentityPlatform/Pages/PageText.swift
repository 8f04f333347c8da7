// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import WebPages

/// The texts of the platform's pages. `Texts` has one file for each language.
enum PageText: String, TextKey {
    case signIn, toContinue, onDevice, userName, userNameHint, password, language
    case chooseAccount, otherAccount
    case allowTitle, signedInAs, asksFor, allow, doNotAllow
    case accessIdentity, accessProfile, accessEmail, accessOffline, accessPermission
    case oneMoment, goOn, signedIn, signedInText
    case signOutQuestion, signOutText, signOut, signedOut, signedOutText
    case enterCode, enterCodeText, code, next, deviceQuestion, deviceQuestionText, cancel, otherScreenText
    case cancelled, cancelledText
    case notPossible, notPossibleText
    case wrongPassword, staleForm, tooManyFailures, busy, unavailable, endedEpoch, otherPerson, wrongCode, tooManyCodes,
        noCodeHere
    case malformedForm

    /// The texts in all languages. Their files are part of the program, so the tests find any fault in them.
    static let catalogue = Result { () throws(TextsFailure) in
        try Texts<PageText>([
            .english: PackageResources.en_json, .french: PackageResources.fr_json,
            .italian: PackageResources.it_json, .portuguese: PackageResources.pt_json,
            .polish: PackageResources.pl_json, .russian: PackageResources.ru_json,
            .german: PackageResources.de_json, .arabic: PackageResources.ar_json,
        ])
    }

    /// Creates the text for an error that the person can do something about; returns nil for any other error.
    init?(_ error: OAuthError) {
        let texts: [(error: OAuthError, text: PageText)] = [
            (.badCredentials, .wrongPassword), (.staleForm, .staleForm), (.tooManyFailures, .tooManyFailures),
            (.busy, .busy), (.unavailable, .unavailable), (.endedBrowserEpoch, .endedEpoch),
            (.otherPersonOnDevice, .otherPerson),
            (.wrongUserCode, .wrongCode), (.tooManyCodes, .tooManyCodes),
            (.noDeviceCodeOnSharedDevice, .noCodeHere), (.malformedForm, .malformedForm),
        ]
        guard let found = texts.first(where: { $0.error == error }) else { return nil }
        self = found.text
    }
}
