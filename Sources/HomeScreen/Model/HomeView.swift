// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import WebPages

/// What the page shows, in one language. The page displays it as it is, and decides nothing itself.
///
/// Texts that the page completes itself keep their placeholder: `{time}` (a time of day, which the browser formats) and
/// `{duration}` (which counts down).
struct HomeView: Encodable, Equatable {
    /// How the state looks: all is well, something is in progress, or somebody has to act.
    enum Tone: String, Encodable { case good, busy, problem }

    enum Touch: String, Codable { case signIn, cancel, handover, stillHere }

    struct Button: Encodable, Equatable {
        let touch: Touch
        let label: String
        var hint: String?
        /// Whether the button was touched and its action is in progress.
        var isBusy = false
    }

    struct Worker: Encodable, Equatable {
        let name: String
        let username: String
        /// A text with the placeholder `{time}`.
        let since: String?
        /// Seconds since 1970.
        let sinceTime: Int?
    }

    /// A deadline and the text that counts down to it.
    struct Countdown: Encodable, Equatable {
        /// A text with the placeholder `{duration}`.
        let text: String
        /// Seconds of `CLOCK_BOOTTIME`; the home screen's server replaces this with the number of seconds left.
        let seconds: Int
    }

    struct Question: Encodable, Equatable {
        let title: String
        let countdown: Countdown
        let button: Button
    }

    struct Tile: Encodable, Equatable {
        /// The number of the tile in ``HomeContent``.
        let number: Int
        let title: String
        let hasIcon: Bool
        let state: String?
        let isProblem: Bool
    }

    struct Receipt: Encodable, Equatable {
        /// The sign before a line.
        enum Mark: String, Encodable { case done, unknown, problem }

        struct Line: Encodable, Equatable {
            let what: String
            let result: String
            let mark: Mark
        }

        /// A text with the placeholder `{time}`.
        let title: String
        /// Seconds since 1970.
        let time: Int
        let number: String
        let lines: [Line]
    }

    var language = ""
    var direction = ""
    var tone = Tone.good
    var title = ""
    var text: String?
    /// What to do about a problem, and whom to call.
    var advice: [String] = []
    var button: Button?
    /// A smaller button in another place, so that a second touch on the first button never hits this button.
    var otherButton: Button?
    var worker: Worker?
    var tiles: [Tile] = []
    var tilesTitle = ""
    /// The deadlines to show: the end of the shift, of an offline session, or of the time to save.
    var countdowns: [Countdown] = []
    /// The warning before the session ends because of inactivity.
    var idle: Question?
    var notices: [String] = []
    var receipt: Receipt?
}
