// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Why a request got no complete answer. A complete answer is not a failure here, whatever its status.
enum WebFailure: Error, Equatable {
    /// There is no connection.
    case unreachable
    /// The connection broke before the answer was complete. The request may have been carried out.
    case lost
    /// The server took too long.
    case late
    /// The answer is larger than allowed.
    case tooLarge
    /// The certificate comes from an authority that is not trusted, or is not valid at present.
    case untrusted
    /// The certificate is for another host.
    case wrongHost
    /// The port does not speak TLS.
    case notTLS

    /// Maps a library's error. An unknown error becomes `unreachable`.
    init(reading error: any Error) {
        self =
            switch error {
            case let failure as WebFailure: failure
            case is TimeLimitExceeded: .late
            case is NIOTooManyBytesError: .tooLarge
            case let error as HTTPClientError: Self.reading(error)
            case let error as NIOSSLError: Self.reading(error)
            case is NIOSSLExtraError: .wrongHost
            case let error as BoringSSLError: Self.reading("\(error)")
            case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode) ? .lost : .unreachable
            case is ChannelError, HTTPParserError.invalidEOFState: .lost
            default: .unreachable
            }
    }

    private static func reading(_ error: HTTPClientError) -> WebFailure {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout:
            .late
        case .remoteConnectionClosed, .uncleanShutdown: .lost
        default: .unreachable
        }
    }

    private static func reading(_ error: NIOSSLError) -> WebFailure {
        switch error {
        case .handshakeFailed(let cause): reading("\(cause)")
        case .uncleanShutdown: .lost
        case .noCertificateToValidate, .unableToValidateCertificate: .untrusted
        default: .unreachable
        }
    }

    /// Reads BoringSSL's names of errors, which NIO passes on only as text.
    private static func reading(_ stack: String) -> WebFailure {
        if stack.contains("CERTIFICATE_VERIFY_FAILED") { return .untrusted }
        let isPlain = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"].contains(where: stack.contains)
        return isPlain ? .notTLS : .unreachable
    }
}

extension WebFailure {
    /// Returns the failure of a command whose request to a server over HTTPS failed.
    ///
    /// - Parameter origin: the server's address.
    func failure(at origin: String) -> CommandFailure {
        switch self {
        case .unreachable, .late:
            CommandFailure(
                code: "server_unreachable",
                message: self == .late
                    ? "The server at \(origin) takes too long to answer." : "The server at \(origin) does not answer.",
                remedy: "Check the address and the network, or run the command on the server's machine.",
                exitCode: .unreachable)
        case .lost:
            CommandFailure(
                code: "server_connection_lost",
                message:
                    "The connection to \(origin) broke before the answer was complete. It is not known whether the "
                    + "server has carried out the request.",
                remedy: "Look at what the command concerns before you run it again.", exitCode: .unreachable)
        case .tooLarge:
            CommandFailure(
                code: "server_reply_large", message: "The answer of \(origin) is larger than any that is expected.",
                remedy: "Check that the address is that of the server's administration.")
        case .untrusted:
            CommandFailure(
                code: "server_certificate",
                message: "The certificate of \(origin) is not accepted: it has expired, or it comes from an authority "
                    + "that is not trusted.",
                remedy: "If the server has its own authority, copy the authority's certificate (ca/root.pem in the "
                    + "server's state folder) and give it with --ca FILE.")
        case .wrongHost:
            CommandFailure(
                code: "server_certificate", message: "The certificate of \(origin) is for another host name.",
                remedy:
                    "Use the host name under names.administration in the server's configuration. A certificate from "
                    + "--ca FILE is checked against the host name, too.")
        case .notTLS:
            CommandFailure(
                code: "server_not_tls", message: "The port of \(origin) does not speak TLS.",
                remedy: "Give the port of the server's administration, administrationPort in its configuration.")
        }
    }
}
