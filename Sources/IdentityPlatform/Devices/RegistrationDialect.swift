// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import OAuth

/// Formats error responses as device registration requires.
struct RegistrationDialect: ErrorDialect {
    func answer(to error: any Error, for request: Request, logger: Logger) -> Response? {
        switch error {
        case let error as RegistrationError:
            logger.debug("registration refused", metadata: ["registration.code": "\(error.code.rawValue)"])
            return error.response
        case let refusal as AccessTokens.Refusal:
            logger.debug("bearer refused", metadata: ["bearer.refusal": "\(refusal)"])
            return RegistrationError.unauthenticated.response
        case is OAuthError: return RegistrationError.unknownTenant.response
        case is NIOTooManyBytesError: return RegistrationError.malformed.response
        default: return nil
        }
    }

    func unavailable(for request: Request) -> Response { RegistrationError.unavailable.response }

    func fault(for request: Request) -> Response { RegistrationError.fault.response }
}
