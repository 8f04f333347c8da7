// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

/// Signs a person in, with the browser of this machine or with a code for another one.
package struct PersonSignIn: Sendable {
    package enum Method: Sendable {
        case browser, deviceCode
    }

    /// What a person at the terminal needs for a sign-in.
    package enum Instruction: Sendable, Equatable {
        /// The browser should open this address.
        case open(address: String)
        /// The browser has not opened this address; `reason` says why, as the end of a sentence. The sign-in goes on.
        case openYourself(address: String, reason: String)
        /// The person opens the address on any machine, and enters the code there.
        case enter(code: String, address: String)
    }

    /// How old the person's session may be.
    enum Freshness: Sendable {
        case anyAge
        /// At most this many seconds.
        case atMost(Int)
        /// The person always proves again who they are.
        case new
    }

    /// The result of a sign-in.
    struct Outcome: Sendable {
        let tokens: TokenReply
        let person: SignedInPerson
    }

    let method: Method
    let instruct: @Sendable (Instruction) throws -> Void
    /// Opens an address in the browser of this machine. May return when the browser ends.
    let open: @Sendable (String) async throws -> Void
    /// Returns the current time, in seconds since 1970.
    let now: @Sendable () -> Int

    /// - Parameters:
    ///   - instruct: shows an instruction to the person.
    ///   - open: opens an address in the browser of this machine. If it throws, the person is told so.
    package init(
        by method: Method, now: @escaping @Sendable () -> Int = { WallClock.seconds },
        open: @escaping @Sendable (String) async throws -> Void = { try await SystemBrowser.open($0) },
        instruct: @escaping @Sendable (Instruction) throws -> Void
    ) {
        (self.method, self.now, self.open, self.instruct) = (method, now, open, instruct)
    }

    /// For how long a person may take.
    static let patience = Duration.seconds(300)

    /// Signs a person in and returns their tokens.
    ///
    /// - Throws: ``CommandFailure``.
    func run(at server: AuthorizationServer, scope: Scopes, _ freshness: Freshness) async throws -> Outcome {
        do {
            return switch method {
            case .browser: try await useBrowser(at: server, scope: scope, freshness)
            case .deviceCode: try await useCode(at: server, scope: scope)
            }
        } catch let error as OAuthError {
            throw Self.refused(error)
        } catch let failure as WebFailure {
            throw failure.failure(at: ServerURL(server.tokenEndpoint)?.origin ?? server.tokenEndpoint)
        } catch is TimeLimitExceeded {
            throw CommandFailure(
                code: "sign_in_timeout", message: "Nobody has signed in in time.", remedy: "Run the command again.")
        }
    }

    /// Returns the failure for a refusal by the authorization server.
    static func refused(_ error: OAuthError) -> CommandFailure {
        guard error.number != OAuthError.ambiguousTenantNumber else { return AuthorizationServer.tenantUnnamed }
        return CommandFailure(
            code: "sign_in_refused", message: "The sign-in was refused (\(words(of: error))).",
            remedy: error.number == OAuthError.disabledClientNumber
                ? "Enable the application on the server: baton admin client enable \(AdministrationApp.clientID)."
                : "Sign in again. The server's audit log contains the reason, too.")
    }

    /// Returns the code and the first line of the description, in characters that a terminal can show.
    static func words(of error: OAuthError) -> String {
        let line = error.description.prefix { !$0.isNewline }.prefix(300)
        let words = [error.code.rawValue.prefix(64), line].filter { !$0.isEmpty }
        return words.map { TextTable.printable(String($0)) }.joined(separator: ": ")
    }

    /// Checks the tokens that the server has issued, and revokes them if they cannot be used.
    ///
    /// - Parameter issuer: the issuer that the answer to the authorization request names; nil if there was no such answer.
    /// - Throws: ``CommandFailure``
    func outcome(
        _ tokens: TokenReply, from server: AuthorizationServer, nonce: String?, issuer: String? = nil
    ) async throws -> Outcome {
        do {
            let person = try SignedInPerson(tokens.idToken, from: server, nonce: nonce, now: now())
            guard issuer == nil || server.issuer(of: person.tenantID) == issuer else {
                throw AuthorizationServer.unusable(server.authorizationEndpoint, "another server has answered")
            }
            return Outcome(tokens: tokens, person: person)
        } catch {
            // Nobody uses these tokens, so they must not stay valid.
            if let token = tokens.refreshToken, let endpoint = server.revocationEndpoint {
                try? await AuthorizationServer.revoke(token, at: endpoint, through: server.web)
            }
            throw error
        }
    }
}
