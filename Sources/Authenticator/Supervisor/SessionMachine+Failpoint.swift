// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

extension SessionMachine.Action {
    /// The point that is reached when the action has been done.
    var failpoint: Failpoint? {
        switch self {
        case .journal(.signingIn): .signInJournaled
        case .makeKey: .keyMade
        case .admit: .admitted
        case .openBrowser: .browserOrdered
        case .journal(.signedIn): .signedInJournaled
        case .confirm: .confirmed
        case .journal(.signingOut): .endJournaled
        case .destroyKey: .keyDestroyed
        case .endSessionProcess: .processEnded
        case .closeBrowser: .browserClosing
        case .writeReceipt: .receiptWritten
        case .journal(.ready): .readyJournaled
        case .answer: .answered
        case .startSessionProcess, .restartSessionProcess, .refuse, .clearFiles, .announceEnd, .awaitApps, .lockApps:
            nil
        }
    }
}
