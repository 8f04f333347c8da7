// SPDX-License-Identifier: Apache-2.0
package import WebPages

/// The texts of the broker's pages. `Texts` has one file for each language.
package enum BrokerText: String, TextKey {
    case signedIn, signedInText, notSignedIn, notSignedInText, oneMoment, oneMomentText, nothingHere, nothingHereText
    case offlineSignIn, signIn, userName, password, pin, passwordOrPIN
    case setPIN, newPIN, samePINAgain, notNow, aboutPINs
    case serverAwayPIN, serverAway, wrong, clock, chipLocked, chipSilent, tryLater, usePassword
    case pinsDiffer, pinShape, pinTrivial, pinNotKept, pinLate
    case offlineText, pinSet, pinSetText, noPIN, noPINText

    /// The texts in every language. Their files are part of the program, so the tests find any fault in them.
    package static let catalogue = Result { () throws(TextsFailure) in
        try Texts<BrokerText>([
            .english: PackageResources.en_json, .french: PackageResources.fr_json,
            .italian: PackageResources.it_json, .portuguese: PackageResources.pt_json,
            .polish: PackageResources.pl_json, .russian: PackageResources.ru_json,
            .german: PackageResources.de_json, .arabic: PackageResources.ar_json,
        ])
    }

    /// Returns the text in a language. If the catalogue were incomplete, which the tests rule out, the result would be
    /// the text's key.
    func text(in language: Language) -> String {
        (try? Self.catalogue.get())?.text(self, in: language) ?? rawValue
    }
}
