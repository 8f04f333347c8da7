// SPDX-License-Identifier: Apache-2.0
package import Processes

/// The processes that the agent ends and the folders that it takes away, for an app that has not erased its data of an
/// ended epoch.
package struct AppData: Sendable, Codable, Hashable {
    /// The app's bundle id.
    package let app: String
    /// The absolute paths of the folders to take away.
    package let folders: [String]
    /// The processes that have made requests as this app. They end first, so that none of them writes anything more.
    package let processes: [ProcessTable.Name]

    package init(app: String, folders: [String], processes: [ProcessTable.Name]) {
        (self.app, self.folders, self.processes) = (app, folders, processes)
    }
}

/// Why the data of an app could not be taken away.
package struct AppDataFailure: Sendable, Codable, Hashable {
    /// Stable codes. Each has a cause and a remedy.
    package enum Code: String, Sendable, Codable, CaseIterable {
        /// A process of the app does not end.
        case processLeft = "data_process_left"
        /// The folder, or a folder above it, is a symbolic link, or the path does not lead to a folder.
        case notAFolder = "data_not_a_folder"
        /// The folder belongs to another user.
        case foreign = "data_foreign"
        /// The folder is a mount, or something is mounted in it.
        case mounted = "data_mounted"
        /// The folder into which the agent moves what it takes away is on another file system.
        case elsewhere = "data_elsewhere"
        /// One of the folders does not exist.
        case missing = "data_missing"
        /// The app has more processes than the agent ends.
        case tooManyProcesses = "data_processes_many"
        /// The app's registration was replaced so often in one session that the broker does not know all folders that
        /// the registrations named.
        case tooManyFolders = "data_folders_many"
        /// The broker does not know which processes the app has.
        case unknownProcesses = "data_processes_unknown"
        /// The app's registration no longer names its folders.
        case unnamed = "data_unnamed"
        /// The folder could not be moved for another reason.
        case notMoved = "data_not_moved"
        /// No agent is connected, or the agent has not answered in time.
        case agentSilent = "data_agent_silent"
    }

    package let app: String
    package let code: Code

    package init(app: String, code: Code) { (self.app, self.code) = (app, code) }
}

extension AppDataFailure.Code {
    /// Whether a later sign-out tries again to take the data away.
    package var isTriedAgain: Bool { self != .tooManyFolders }

    package var cause: String {
        switch self {
        case .processLeft: "a process of the app does not end"
        case .notAFolder: "a folder of its data, or one above it, is a link or no folder"
        case .foreign: "a folder of its data belongs to another user"
        case .mounted: "a folder of its data is a mount, or something is mounted in it"
        case .elsewhere: "a folder of its data is on another file system than the trash of baton-agent"
        case .missing: "the app has not erased, and a folder of its data is not there"
        case .tooManyProcesses: "the app has more processes than baton-agent ends"
        case .tooManyFolders: "the app's registration has named more folders in one session than the broker records"
        case .unknownProcesses: "the broker's record of the app's processes could not be read"
        case .unnamed: "the app's registration no longer names the folders of its data"
        case .notMoved: "a folder of its data could not be moved"
        case .agentSilent: "baton-agent was not connected, or had no time for it"
        }
    }

    package var remedy: String {
        switch self {
        case .processLeft: "End the process."
        case .notAFolder: "Name the real folder in dataFolders of the app's registration."
        case .foreign: "Let the app run as the session's user, or take the folder out of dataFolders."
        case .mounted: "Name a folder below the mount in dataFolders, with nothing mounted in it."
        case .elsewhere: "Set trash in baton-agent.json to a folder on the same file system."
        case .missing:
            "Correct dataFolders in the app's registration. If the data was removed by hand, make an empty folder there."
        case .tooManyProcesses: "End the app's processes."
        case .tooManyFolders: "Remove the data from every folder that the registration has named."
        case .unknownProcesses: "Restart the device."
        case .unnamed: "Name them in dataFolders again."
        case .notMoved:
            "Give the session's user write permission for the folder and for the folder above it. If both have it, see "
                + "the log of baton-agent."
        case .agentSilent: "Start baton-agent in the graphical session."
        }
    }
}
