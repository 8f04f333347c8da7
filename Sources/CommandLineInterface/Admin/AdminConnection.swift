// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import Encodings
internal import NIOHTTP1
internal import Redaction

/// How the server's administration is reached: through its Unix socket, or over HTTPS with a token.
struct AdminConnection: Sendable {
    /// The beginning of the URL of every request.
    private let base: String
    let web: WebClient
    /// Nil on the socket, where the kernel says who calls.
    let session: AdminSession?
    private let socket: String

    private static let overSockets = WebClient()

    /// The server's socket.
    init(socket: String) {
        let host = socket.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber
                ? String(character) : "%" + Hexadecimal.text([byte], .upper)
        }.joined()
        (base, web, session, self.socket) = ("http+unix://\(host)", Self.overSockets, nil, socket)
    }

    /// The server's HTTPS listener.
    init(session: AdminSession) {
        (base, web, self.session, socket) = (session.administration.origin, session.web, session, "")
    }

    /// Returns a request for a path with its query.
    func request(for path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: base + path)
        // A socket's path provides no host, and a request must name one (RFC 9112 section 3.2).
        if session == nil { request.headers.add(name: "Host", value: "localhost") }
        return request
    }

    /// Returns the path and query of a link in an answer; nil if it leads elsewhere.
    func path(of link: String) -> String? {
        if link.hasPrefix("/"), !link.hasPrefix("//") { return link }
        return session != nil && link.hasPrefix(base + "/") ? String(link.dropFirst(base.count)) : nil
    }

    func failure(_ failure: WebFailure) -> CommandFailure {
        if let session { return failure.failure(at: session.administration.origin) }
        guard failure != .tooLarge else { return failure.failure(at: socket) }
        return CommandFailure(
            code: "server_unreachable", message: "The server does not answer on \(socket).",
            remedy: "Start baton-server, run as its user, or give its state folder with --server.",
            exitCode: .unreachable)
    }
}
