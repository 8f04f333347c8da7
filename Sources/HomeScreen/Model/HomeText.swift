// SPDX-License-Identifier: Apache-2.0
internal import WebPages

/// The texts of the home screen. `Texts` has one file for each language.
enum HomeText: String, TextKey {
    case pageTitle, ready, readyText, signIn, signingIn, signingInText, joining, joiningText, cancel, signedInSince
    case apps, noApps, handover, handoverHint, shiftEnds, stillThere, stillThereText, stillHere, ending, endingText
    case signingOut, signingOutText, waitsFor, waitsForBrowser, waitsForFiles, lastHandover, receiptNumber
    case clearedKeys, clearedMemory, clearedBrowser, clearedFiles, clearedApp, verified, implied, reportedByAgent
    case reportedByApp, notCleared, otherFiles, noneFound, someFound, leftUnknown, otherPlaces, notLookedAt
    case noneFoundEarlier, browserRules, rulesSame, rulesChanged, browserHeld, heldNothing, heldSomething, notKnown
    case tileOpening, tileRunning, tileMissing, tileEndedAtOnce, tileFailed, tileLocked, tileUnlock, tileHeld
    case tileUnsaved, unsavedText, unsavedLeft, offlineEnds, noServer, noServerText, noServerLeases
    case notSignedIn, handoverGoesOn, accountUnknown, connecting, connectingText, noService, noServiceText
    case notManaged, notManagedText, notManagedAdvice, notShared, notSharedText, incomplete, incompleteText
    case incompleteAdvice, notJoined, notJoinedText, notJoinedAdvice, disabled, disabledText, unregistered
    case unregisteredText, outOfService, outOfServiceText, outOfServiceAdvice, noAgent, noAgentText, otherAdvice
    case call, language, logoUnreadable, lostScreen, deviceFault

    /// The catalogue. The tests find every fault in it, since its files are part of the program.
    static let catalogue = Result { () throws(TextsFailure) in
        try Texts<HomeText>([
            .english: PackageResources.en_json, .french: PackageResources.fr_json,
            .italian: PackageResources.it_json, .portuguese: PackageResources.pt_json,
            .polish: PackageResources.pl_json, .russian: PackageResources.ru_json,
            .german: PackageResources.de_json, .arabic: PackageResources.ar_json,
        ])
    }
}
