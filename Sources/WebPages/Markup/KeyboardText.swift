// SPDX-License-Identifier: Apache-2.0

/// The labels of the on-screen keyboard.
package enum KeyboardText: String, TextKey {
    case keyboard, shift, signs, letters, national, space, erase, done

    /// The catalogue. The tests find any fault in it, because its files are part of the program.
    package static let catalogue = Result { () throws(TextsFailure) in
        try Texts<KeyboardText>([
            .english: PackageResources.en_json, .french: PackageResources.fr_json,
            .italian: PackageResources.it_json, .portuguese: PackageResources.pt_json,
            .polish: PackageResources.pl_json, .russian: PackageResources.ru_json,
            .german: PackageResources.de_json, .arabic: PackageResources.ar_json,
        ])
    }
}
