// SPDX-License-Identifier: Apache-2.0

/// The steps of the demo, with the stable names that `baton-dev demo --json` prints.
enum StoryStep: String {
    case server, device, enrollment, push
    case notJoined = "not-joined"
    case joinRefused = "join-refused"
    case join
    case sharedDevice = "shared-device"
    case signIn = "sign-in"
    case singleSignOn = "single-sign-on"
    case note
    case searchSees = "search-sees"
    case signOut = "sign-out"
    case notified
    case nothingShown = "nothing-shown"
    case nextSignIn = "next-sign-in"
    case nextWorker = "next-worker"
    case stoppedApp = "stopped-app"
    case searchClean = "search-clean"
    case profileRemoved = "profile-removed"

    /// The step as a sentence.
    var text: String {
        switch self {
        case .server: "server up; an organisation with people, roles and apps"
        case .device: "device up: personal, no app is served"
        case .enrollment: "device enrolled in the MDM"
        case .push: "the broker package, the apps, their configuration and the profile arrive"
        case .notJoined: "before the join, app 1 gets an error: the device is neither shared nor personal"
        case .joinRefused: "Chen, without the role, is refused the join"
        case .join: "Carol, the Cloud Device Administrator, joins the device"
        case .sharedDevice: "app 1 sees a shared device and offers no sign-up"
        case .signIn: "Amara signs in through app 1"
        case .singleSignOn: "app 2 has Amara's token with no prompt, and reads /me"
        case .note: "Amara saves a note in app 1; app 3 also gets her account, and is stopped"
        case .searchSees: "the search for traces finds her data in all expected places, and nowhere else"
        case .signOut: "app 2 signs Amara out; app 3, which cannot answer, is ended"
        case .notified: "app 1 is notified: nobody is signed in now, Amara was before"
        case .nothingShown: "app 1 has no token and no note of hers, and the bar with her name has ended"
        case .nextSignIn: "Bo signs in through app 2"
        case .nextWorker: "app 1 sees Bo, never Amara"
        case .stoppedApp: "app 3 starts again: Bo is signed in, Amara was before, and app 3 shows none of her data"
        case .searchClean: "nothing of Amara is left: files, browser, apps, logs, memory of Baton's programs"
        case .profileRemoved: "the MDM removes the profile: no longer shared, and Bo is signed out"
        }
    }
}
