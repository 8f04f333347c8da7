// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import WebPages

/// The page's files, and the headers of every answer.
struct HomePage: Sendable {
    /// Allows only the page's own files, and no inline scripts or styles (Content Security Policy Level 3).
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    func document(_ language: Language) -> Response {
        let text = String(decoding: PackageResources.home_html, as: UTF8.self)
            .replacing("{language}", with: language.rawValue)
            .replacing("{direction}", with: language.direction.rawValue)
        return response(Array(text.utf8), mediaType: "text/html; charset=utf-8")
    }

    /// - Parameter colour: the colour of buttons, if the configuration has one.
    func stylesheet(_ colour: String?) -> Response {
        let text = String(decoding: PackageResources.home_css, as: UTF8.self)
            .replacing(AccentColour.standard, with: colour ?? AccentColour.standard)
        return response(Array(text.utf8), mediaType: "text/css; charset=utf-8")
    }

    var script: Response { response(PackageResources.home_js, mediaType: "text/javascript; charset=utf-8") }

    func json(_ value: some Encodable) -> Response {
        do { return response(try JSONWriter.encode(value), mediaType: "application/json") } catch {
            return Response(status: .internalServerError)
        }
    }

    func response(_ bytes: [UInt8], mediaType: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: mediaType, .cacheControl: "no-store", .contentSecurityPolicy: Self.policy,
                .xContentTypeOptions: "nosniff", .resourcePolicy: "same-origin", .referrerPolicy: "no-referrer",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

}
