// SPDX-License-Identifier: Apache-2.0

/// The key that identifies an object in a URL: its id or, as in `devices(deviceId='…')`, a different unique property.
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

    /// The whole key as text, for kinds that accept only one form of key.
    var text: String {
        switch self {
        case .id(let text): text
        case .alternate(let name, let value): "\(name)=\(value)"
        }
    }
}
