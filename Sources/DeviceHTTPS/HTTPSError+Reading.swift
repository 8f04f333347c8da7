// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import DeviceSettings
internal import NIOCore
internal import NIOSSL

extension HTTPSError {
    /// Maps a library's error to a code. An unknown error becomes `unreachable`.
    package init(reading error: any Error) {
        switch error {
        case let error as HTTPSError: self = error
        case is NIOTooManyBytesError: self.init(.tooLarge, "the answer is larger than allowed")
        case let error as HTTPClientError: self.init(Self.code(of: error), error.shortDescription)
        case is NIOSSLError, is BoringSSLError: self.init(.untrusted, "\(error)")
        default: self.init(.unreachable, "\(error)")
        }
    }

    private static func code(of error: HTTPClientError) -> Code {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout:
            .timeout
        case .invalidURL, .emptyHost, .emptyScheme: .invalidURL
        default: .unreachable
        }
    }
}
