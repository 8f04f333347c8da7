// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation

/// The tables of docs/administration.md that are written from the declared operations.
enum AdministrationPage {
    /// Returns a page whose tables are up to date.
    ///
    /// A table stands between `<!-- operations: ENGINE -->` and `<!-- end -->`. Returns nil if the page lacks a table.
    static func updated(_ page: String) -> String? {
        var page = page
        for (engine, operations) in [("identity", IdentityAdmin.operations), ("mdm", MDMAdmin.operations)] {
            guard let begin = page.range(of: "<!-- operations: \(engine) -->\n"),
                let end = page[begin.upperBound...].range(of: "\n<!-- end -->")
            else { return nil }
            page.replaceSubrange(begin.upperBound..<end.lowerBound, with: table(operations))
        }
        return page
    }

    private static func table(_ operations: [AdminOperation]) -> String {
        let head = ["| call | what it does | body → answer | audit log |", "|---|---|---|---|"]
        return (head + operations.map(row)).joined(separator: "\n")
    }

    private static func row(_ operation: AdminOperation) -> String {
        let query = operation.query.isEmpty ? "" : "?" + operation.query.map { "\($0.name)=" }.joined(separator: "&")
        let text = [operation.summary, operation.details].compactMap(\.self).joined(separator: " ")
        let body = operation.body().map { words($0) + " " } ?? ""
        return "| `\(operation.method.rawValue) \(operation.path)\(query)` | \(text) | \(body)→ \(answer(operation)) | "
            + operation.auditActions.map { "`\($0)`" }.joined(separator: ", ") + " |"
    }

    private static func answer(_ operation: AdminOperation) -> String {
        let status = operation.status == 200 ? "" : "\(operation.status) "
        switch operation.reply() {
        case .nothing: return "\(operation.status)"
        case .json(let schema): return status + words(schema)
        case .export: return "an [export](#exports)"
        case .document: return "a JSON document"
        }
    }

    /// Returns a form in words: an object as `{a, b?}`.
    private static func words(_ schema: Schema) -> String {
        switch schema {
        case .list(let element): "list of " + words(element)
        case .either(let forms): forms.map(words).joined(separator: " or ")
        default: "`\(short(schema))`"
        }
    }

    private static func short(_ schema: Schema) -> String {
        switch schema {
        case .any: "…"
        case .string: "string"
        case .boolean: "Boolean"
        case .integer: "integer"
        case .number: "number"
        case .list(let element): "[\(short(element))]"
        case .map: "{…}"
        case .object(_, let members):
            "{" + members.map { $0.name + ($0.isRequired ? "" : "?") + inner($0.schema) }.joined(separator: ", ") + "}"
        case .either(let forms): forms.map(short).joined(separator: " or ")
        }
    }

    /// Returns the members of an object inside another one; nothing for other forms.
    private static func inner(_ schema: Schema) -> String {
        switch schema {
        case .object: ": " + short(schema)
        case .list(let element):
            if case .object = element { ": [\(short(element))]" } else { "" }
        default: ""
        }
    }
}
