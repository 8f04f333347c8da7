// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import Hummingbird

extension OperationRefusal {
    /// Checks that a request's query is UTF-8 in percent-encoding, and has only parameters of the operation, each of them
    /// once. A caller who misspells a parameter would otherwise get another answer than was asked for.
    ///
    /// - Throws: ``OperationRefusal``
    static func check(queryOf request: Request, for operation: AdminOperation) throws {
        let known = operation.query.map(\.name)
        var present: Set<String> = []
        for part in (request.uri.query ?? "").split(separator: "&") {
            let name = String(part.prefix { $0 != "=" })
            // A byte that is not UTF-8 has been replaced by U+FFFD if it was not encoded.
            guard let decoded = name.removingPercentEncoding, part.removingPercentEncoding != nil,
                !part.unicodeScalars.contains("\u{fffd}")
            else {
                let named = name.removingPercentEncoding ?? "that is not UTF-8"
                throw refusal(of: named, "is not UTF-8 in percent-encoding", remedy: "Encode its value as UTF-8.")
            }
            guard known.contains(name) else {
                let possible =
                    known.isEmpty
                    ? "this operation has no parameters." : "this operation has: \(known.joined(separator: ", "))."
                throw refusal(of: decoded, "is unknown", remedy: "Leave \(shown(decoded)) out; \(possible)")
            }
            guard present.insert(name).inserted else {
                throw refusal(of: decoded, "is there more than once", remedy: "Send \(shown(decoded)) once.")
            }
        }
    }

    private static func refusal(of name: String, _ cause: String, remedy: String) -> OperationRefusal {
        OperationRefusal(
            "admin.query", status: .badRequest, ("The parameter \(shown(name)) of the query \(cause).", remedy))
    }

    /// Returns a name for a message, without characters that could disturb a terminal.
    private static func shown(_ name: String) -> String {
        ShownText.isPlain(name) ? String(name.prefix(100)) : "with a control character"
    }
}
