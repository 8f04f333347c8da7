// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation

/// The tables of docs/administration.md that are written from the declared operations.
enum AdministrationPage {
    /// Returns a page whose tables are up to date.
    ///
    /// A table stands between `<!-- operations: ENGINE -->` or `<!-- codes -->` and `<!-- end -->`. Returns nil if the
    /// page lacks a table.
    static func updated(_ page: String) -> String? {
        var page = page
        let tables = [
            ("operations: identity", table(IdentityAdmin.operations)),
            ("operations: mdm", table(MDMAdmin.operations)), ("codes", codes),
        ]
        for (name, text) in tables {
            guard let begin = page.range(of: "<!-- \(name) -->\n"),
                let end = page[begin.upperBound...].range(of: "\n<!-- end -->")
            else { return nil }
            page.replaceSubrange(begin.upperBound..<end.lowerBound, with: text)
        }
        return page
    }

    /// The table of the refusals that do not depend on the engine.
    private static var codes: String {
        let rows = GeneralRefusal.all.map { "| `\($0.code)` | \($0.status) | \($0.cause) |" }
        return (["| code | status | cause |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func table(_ operations: [AdminOperation]) -> String {
        let head = [
            "| call | what it does | body → answer | who may call it over HTTPS | audit log |", "|---|---|---|---|---|",
        ]
        return (head + operations.map(row)).joined(separator: "\n")
    }

    private static func row(_ operation: AdminOperation) -> String {
        let query = operation.query.isEmpty ? "" : "?" + operation.query.map { "\($0.name)=" }.joined(separator: "&")
        let text = [operation.summary, operation.details].compactMap(\.self).joined(separator: " ")
        let body = operation.body().map { words($0) + " " } ?? ""
        return "| `\(operation.method.rawValue) \(operation.path)\(query)` | \(text) | \(body)→ \(answer(operation)) | "
            + callers(of: operation) + " | " + operation.auditActions.map { "`\($0)`" }.joined(separator: ", ") + " |"
    }

    /// Returns the permission and the roles that an operation needs.
    private static func callers(of operation: AdminOperation) -> String {
        switch operation.access {
        case .anyone: return "everybody, without a token"
        case .serverOnly: return "nobody"
        case .directory(let roles, let permission):
            let names = roles.map(\.rawValue).joined(separator: ", ")
            return "`\(permission)`; \(names)" + (operation.isDangerous ? "; *dangerous*" : "")
        }
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
        case .limited(let schema, _): words(schema)
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
        case .limited(let schema, _): short(schema)
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
