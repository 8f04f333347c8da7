// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Finds the Codable types in the sources by the text of their declarations.
enum CodableSources {
    /// Returns the names of the Codable types below `folder`, such as `NewProfile`, including enums that are encoded
    /// as strings, but without private types.
    static func types(in folder: String) throws -> Set<String> {
        let declaration = try Regex<(Substring, Substring)>(
            #"(?m)^\s*(?:package |public )?(?:struct|enum) (\w+): [^{]*\b(?:Codable|Encodable)\b"#)
        return Set(try files(in: folder).flatMap { $0.text.matches(of: declaration).map { String($0.output.1) } })
    }

    /// Returns, as `file: Type.case`, the enum cases whose values Swift encodes under a number, because the values have
    /// no label and the type defines neither its encoding nor the case's keys.
    static func unnamedCases(in folder: String) throws -> [String] {
        try files(in: folder).flatMap { file in unnamedCases(inText: file.text).map { "\(file.name): \($0)" } }.sorted()
    }

    static func unnamedCases(inText text: String) -> [String] {
        guard text.contains("enum "), text.contains("Codable") || text.contains("Encodable") else { return [] }
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        return code.matches(of: /\benum (\w+): ([^{}]*)\{/).flatMap { match -> [String] in
            let conformances = match.output.2
            let body = block(code[match.range.upperBound...])
            guard conformances.contains("Codable") || conformances.contains("Encodable"),
                !body.contains("func encode(to")
            else { return [] }
            return cases(of: outermost(body)).filter { $0.isUnnamed && !body.contains("\($0.keys)CodingKeys") }
                .map { "\(match.output.1).\($0.name)" }
        }
    }

    private struct Case {
        let name: String
        let isUnnamed: Bool
        /// The name prefix of the enum of the case's keys (SE-0295).
        var keys: String { name.prefix(1).uppercased() + name.dropFirst() }
    }

    private static func cases(of body: String) -> [Case] {
        body.matches(of: /\bcase ([a-z]\w*)\(/).map { match in
            let values = block(body[match.range.upperBound...], opening: "(", closing: ")")
            return Case(
                name: String(match.output.1),
                isUnnamed: parts(values).contains { $0.prefixMatch(of: /\s*\w+\s*:/) == nil })
        }
    }

    /// Returns the text up to its first closing bracket that has no opening bracket in the text.
    private static func block(
        _ text: Substring, opening: Character = "{", closing: Character = "}"
    ) -> String {
        var depth = 1
        return String(
            text.prefix { character in
                depth += character == opening ? 1 : character == closing ? -1 : 0
                return depth > 0
            })
    }

    /// Returns a type's text without the bodies of its members.
    private static func outermost(_ body: String) -> String {
        var depth = 0
        return body.filter { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth == 0
        }
    }

    /// Splits the associated values of an enum case at the commas that are not inside brackets.
    private static func parts(_ values: String) -> [String] {
        var depth = 0
        return values.reduce(into: [""]) { parts, character in
            depth += "[(<".contains(character) ? 1 : "])>".contains(character) ? -1 : 0
            if depth == 0, character == "," { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
    }

    static func files(in folder: String) throws -> [(name: String, text: String)] {
        let root = Repository.root + "/" + folder
        guard let names = FileManager.default.enumerator(atPath: root) else { throw TestProblem("no folder \(root)") }
        return try names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { ($0, try textOfFile(root + "/" + $0)) }
    }
}
