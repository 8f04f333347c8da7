// SPDX-License-Identifier: Apache-2.0

/// What the last part of an address names an object by: its id, or another property of its own, as in
/// `devices(deviceId='…')`.
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

    /// The whole text, for kinds that know one form only.
    var text: String {
        switch self {
        case .id(let text): text
        case .alternate(let name, let value): "\(name)=\(value)"
        }
    }
}
