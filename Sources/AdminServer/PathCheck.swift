// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import Hummingbird

/// Refuses a path with an empty segment, or with `.` or `..` as a segment, before any operation reads it.
///
/// The router ignores empty segments. Without this check, `DELETE …/users//sessions` would remove a person called
/// "sessions". Some clients and proxies resolve `.` and `..`, so that the path names another operation than was meant.
package struct PathCheck: RequestCheck {
    package init() {}

    package func refusal(of request: Request) -> OperationRefusal? {
        let path = request.uri.path
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        // A path begins with a slash, so the first part of it is empty. The root alone has no segments.
        let isPlain =
            path == "/"
            || segments.first == "" && segments.count > 1
                && segments.dropFirst().allSatisfy { !Self.refused.contains($0.removingPercentEncoding ?? ".") }
        guard !isPlain else { return nil }
        let engine = path.split(separator: "/").first == "mdm" ? "mdm" : "identity"
        return OperationRefusal(
            "\(engine).malformed", status: .badRequest,
            (
                "The path has an empty segment, or a segment that is not a name.",
                "Give every name in the path, and no slash at its end."
            ))
    }

    private static let refused: Set<String> = ["", ".", ".."]
}
