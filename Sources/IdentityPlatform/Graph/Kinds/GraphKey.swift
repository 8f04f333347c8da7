// SPDX-License-Identifier: Apache-2.0

/// The key of an object in the last part of a URL: its id, or another unique property, as in `devices(deviceId='…')`.
enum GraphKey: Sendable {
    case id(String)
    case alternate(String, String)

    init(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].contains("@") else {
            self = .id(text)
            return
        }
        self = .alternate(parts[0].lowercased(), String(parts[1]))
    }

    /// The whole text, for kinds with only one form of key.
    var text: String {
        switch self {
        case .id(let text): text
        case .alternate(let name, let value): "\(name)=\(value)"
        }
    }
}
