// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// Normalises URLs before routing. OData allows the key of an object in parentheses (OData 4.01 part 2, section 4.3.2),
/// so `devices(deviceId='…')` becomes `devices/deviceId=…`.
struct GraphAddress: HTTPResponder {
    let next: any HTTPResponder<IdentityContext>

    func respond(to request: Request, context: IdentityContext) async throws -> Response {
        var request = request
        let path = request.uri.path
        guard path.contains("(") || path.contains("%") else {
            return try await next.respond(to: request, context: context)
        }
        let query = request.uri.query.map { "?\($0)" } ?? ""
        request = Request(head: request.head.with(path: Self.plain(path) + query), body: request.body)
        return try await next.respond(to: request, context: context)
    }

    static func plain(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map(segment).joined(separator: "/")
    }

    private static func segment(_ text: Substring) -> String {
        guard let text = text.removingPercentEncoding else { return String(text) }
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("), open > text.startIndex else {
            return encoded(text)
        }
        let key = text[text.index(after: open)...].dropLast().filter { $0 != "'" }
        return encoded(String(text[..<open])) + "/" + encoded(key)
    }

    /// Percent-encodes every character that does not occur in our routes, in particular slashes.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { output, byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~$=@".contains(character) {
                output.append(character)
            } else {
                output += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}

extension HTTPRequest {
    fileprivate func with(path: String) -> HTTPRequest {
        var head = self
        head.path = path
        return head
    }
}
