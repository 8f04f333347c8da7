// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import OAuth

/// Turns whatever a route of device registration throws into that protocol's error shape.
struct RegistrationErrors: RouterMiddleware {
    typealias Context = IdentityContext

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as HTTPError where error.status.code < 500 {
            return Response(status: error.status)
        } catch {
            return registrationError(error, context).response
        }
    }

    private func registrationError(_ error: any Error, _ context: IdentityContext) -> RegistrationError {
        switch error {
        case let error as RegistrationError:
            context.logger.debug("registration refused", metadata: ["registration.code": "\(error.code.rawValue)"])
            return error
        case let refusal as AccessTokens.Refusal:
            context.logger.debug("bearer refused", metadata: ["bearer.refusal": "\(refusal)"])
            return .unauthenticated
        case is OAuthError: return .unknownTenant
        case is NIOTooManyBytesError: return .malformed
        default:
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return .fault
        }
    }
}
