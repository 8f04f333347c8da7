// SPDX-License-Identifier: Apache-2.0

/// The device's state for home screens and other status displays.
///
/// The broker sends it on `status.sock` when a program connects, and again after each change. It contains no data about
/// a worker. Times on the boot clock are seconds of `CLOCK_BOOTTIME` (clock_gettime(2)). Setting the wall clock does
/// not change them, so a program on the same machine can compute the remaining time.
package struct DeviceState: Sendable, Codable, Equatable {
    /// The step of the hand-over that the device is in.
    package enum Stage: String, Sendable, Codable, CaseIterable {
        case ready, signingIn, joining, signedIn
        /// The apps were notified of the session's end and may save.
        case ending
        case signingOut
        /// The broker does not trust its own state and serves nobody.
        case quarantined
    }

    /// The session of the worker who is signed in.
    package struct Session: Sendable, Codable, Equatable {
        /// When the session began, in seconds since 1970; nil if that is no longer known.
        package let began: Int?
        /// When the shift ends, on the boot clock; nil if the shift has no end.
        package let shiftEnd: Int?
        /// When the session ends because of inactivity, on the boot clock; nil before the worker is warned.
        package let idleEnd: Int?
        /// When the session of a worker who signed in offline ends, on the boot clock; nil if they signed in with the
        /// server.
        package let offlineEnd: Int?
        /// Bundle ids of the apps that have unsaved work.
        package let unsaved: [String]
        /// The time on the boot clock at which the session ends even if apps have not saved; nil unless an announced
        /// end waits for the apps in ``unsaved``.
        package let saveEnd: Int?

        package init(
            began: Int?, shiftEnd: Int?, idleEnd: Int?, offlineEnd: Int? = nil, unsaved: [String] = [],
            saveEnd: Int? = nil
        ) {
            self.began = began
            self.shiftEnd = shiftEnd
            self.idleEnd = idleEnd
            self.offlineEnd = offlineEnd
            self.unsaved = unsaved
            self.saveEnd = saveEnd
        }
    }

    /// The last hand-over since the broker started. Its receipt contains more details (`docs/receipts.md`).
    package struct Handover: Sendable, Codable, Equatable {
        /// One item of the receipt.
        package struct Item: Sendable, Codable, Equatable {
            package let name: String
            package let grade: String
            package let observer: String
            package let result: String

            package init(name: String, grade: String, observer: String, result: String) {
                self.name = name
                self.grade = grade
                self.observer = observer
                self.result = result
            }
        }

        /// Whether the device found something after the session: files of the worker that no item covers, or something
        /// that browsers held open.
        package enum Left: String, Sendable, Codable {
            case nothing, something
            /// The list of folders in which workers may create files is older than the session, so newer folders were
            /// not searched. Nothing was found in the folders on the list.
            case nothingInKnownFolders = "nothing_in_known_folders"
            /// The device could not search everywhere, or has no program that searches.
            case unknown
        }

        /// The number of the receipt.
        package let receipt: Int
        /// When the hand-over was complete, in seconds since 1970.
        package let finished: Int
        /// Why the session ended; nil if that is no longer known.
        package let trigger: String?
        package let items: [Item]
        /// Whether a search found files of the worker that no item covers. Nil stands for `unknown`.
        package let left: Left?
        /// Whether the session's browsers held anything open. Nil stands for `unknown`.
        package let opened: Left?
        /// How many kinds of places were not looked at; nil if that is unknown.
        package let unobserved: Int?

        package init(
            receipt: Int, finished: Int, trigger: String?, items: [Item], left: Left? = nil, opened: Left? = nil,
            unobserved: Int? = nil
        ) {
            self.receipt = receipt
            self.finished = finished
            self.trigger = trigger
            self.items = items
            self.left = left
            self.opened = opened
            self.unobserved = unobserved
        }
    }

    package let stage: Stage
    /// `shared`, or a stable code for what prevents shared mode or why the device is quarantined.
    package let reason: String
    package let isEnrolled: Bool
    /// The name under which the device joined its directory; nil if the device has not joined.
    package let deviceName: String?
    /// The identity platform's last answer about the registration, such as `good` or `disabled`; nil if there is none.
    package let registration: String?
    /// The parts that a sign-out still waits for: `browser`, `files`, `app:<bundle id>`.
    package let pending: [String]
    /// Bundle ids of the apps that have not erased a former worker's data.
    package let lockedApps: [String]
    /// Bundle ids of the locked apps that have no eraser of their own that could unlock them.
    package let lockedWithoutEraser: [String]
    /// Whether a `baton-agent` is connected. Without an agent, no sign-in page and no browser can open.
    package let hasAgent: Bool
    /// Whether the device's management server can be reached; nil if the device has none or has not tried yet.
    package let isServerReachable: Bool?
    /// Whether a worker can sign in without the server: the device holds an offline lease.
    package let hasOfflineLeases: Bool
    package let session: Session?
    package let handover: Handover?
    /// The version of the home screen's configuration that the MDM pushed; nil if there is none. A program that shows
    /// the configuration reads it again when the version changes (`WellKnownPath.homeScreen`).
    package let homeScreen: String?
    /// The code of the first fault that `baton doctor` found, except for faults that the state already describes; nil
    /// if there is none.
    package let fault: String?
    /// Why no sign-in window can open, as a stable code; nil if one can, or if that is not known.
    package let obstacle: String?

    package init(
        stage: Stage, reason: String, isEnrolled: Bool = false, deviceName: String? = nil, registration: String? = nil,
        pending: [String] = [], lockedApps: [String] = [], lockedWithoutEraser: [String] = [], hasAgent: Bool = false,
        isServerReachable: Bool? = nil, hasOfflineLeases: Bool = false, session: Session? = nil,
        handover: Handover? = nil, homeScreen: String? = nil,
        fault: String? = nil, obstacle: String? = nil
    ) {
        self.stage = stage
        self.reason = reason
        self.isEnrolled = isEnrolled
        self.deviceName = deviceName
        self.registration = registration
        self.pending = pending
        self.lockedApps = lockedApps
        self.lockedWithoutEraser = lockedWithoutEraser
        self.hasAgent = hasAgent
        self.isServerReachable = isServerReachable
        self.hasOfflineLeases = hasOfflineLeases
        self.session = session
        self.handover = handover
        self.homeScreen = homeScreen
        self.fault = fault
        self.obstacle = obstacle
    }
}
