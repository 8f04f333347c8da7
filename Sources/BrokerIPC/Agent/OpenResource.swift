// SPDX-License-Identifier: Apache-2.0

/// A socket or file that a browser holds open although its window does not need it.
package enum OpenResource: Sendable, Hashable {
    /// The browser listens on this TCP port, at any address of the machine.
    case port(UInt16)
    /// The browser listens on an abstract Unix socket.
    case abstractSocket
    /// A file, folder, named pipe or device that was not opened inside the browser's confinement.
    case outsideFile

    private static let portPrefix = "tcp_port:"

    /// The name in receipts and between Baton's programs. It contains no name of a file or socket.
    package var name: String {
        switch self {
        case .port(let number): Self.portPrefix + String(number)
        case .abstractSocket: "abstract_socket"
        case .outsideFile: "outside_file"
        }
    }

    package init?(name: String) {
        switch name {
        case Self.abstractSocket.name: self = .abstractSocket
        case Self.outsideFile.name: self = .outsideFile
        default:
            guard name.hasPrefix(Self.portPrefix), let number = UInt16(name.dropFirst(Self.portPrefix.count)) else {
                return nil
            }
            self = .port(number)
        }
    }
}

extension OpenResource: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let resource = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an open resource")
        }
        self = resource
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// Files that the agent writes for its browsers, and that nobody else may change. The raw value is the name of the
/// receipt's item.
package enum BrowserFiles: String, Sendable, Codable, CaseIterable {
    /// The packed extension of the worker's browser, with the manifests of its host.
    case package = "browser_extension"
    /// The policies of each window, and whatever else a browser reads beside them.
    case policies = "browser_policies"
}

/// What an agent found when it checked whether the files that it wrote for its browsers were unchanged. Covers every
/// check since the epoch's first window opened.
package struct ComparedFiles: Sendable, Codable, Equatable {
    /// The kinds of files with at least one file that was missing, had different content, or was added.
    package var changed: Set<BrowserFiles> = []
    /// The kinds of files with at least one file that could not be read.
    package var unread: Set<BrowserFiles> = []

    package init() {}
}

/// What an agent saw when it examined the browsers of an epoch.
package struct BrowserExamination: Sendable, Codable, Equatable {
    /// The occasion of the examination.
    package enum Moment: String, Sendable, Codable {
        /// The extension of the worker's browser is ready.
        case started
        /// Just before the windows of a sign-in end.
        case signInOver
        /// Just before all browsers end.
        case ending
    }

    package let moment: Moment
    package var found: Set<OpenResource> = []
    /// Whether the agent could read every socket and file of every process.
    package var isComplete = true
    /// Nil if the agent neither confines nor configures its browsers, and so writes no files for them.
    package var files: ComparedFiles?

    /// The maximum number of resources in an examination. If the agent finds more, the examination is incomplete.
    package static let maximum = 16

    package init(_ moment: Moment, files: ComparedFiles? = ComparedFiles()) {
        (self.moment, self.files) = (moment, files)
    }

    package mutating func add(_ resource: OpenResource) {
        guard !found.contains(resource) else { return }
        guard found.count < Self.maximum else { return isComplete = false }
        found.insert(resource)
    }
}
