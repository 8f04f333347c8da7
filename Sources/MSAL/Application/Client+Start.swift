// SPDX-License-Identifier: Apache-2.0

// Calls whose parameters are checked first: a refused parameter is an outcome like any other.
extension Client {
    /// Signs a person in as `parameters` say.
    func login(
        _ parameters: MSALInteractiveTokenParameters, _ correlation: UUID, complete: @escaping TokenCompletion
    ) {
        do throws(Fault) {
            login(try loginRequest(parameters, correlation), correlation, complete: complete)
        } catch { complete(.failure(error)) }
    }

    /// Gets a token without a person, as `parameters` say.
    func refresh(_ parameters: MSALSilentTokenParameters, _ correlation: UUID, complete: @escaping TokenCompletion) {
        do throws(Fault) {
            refresh(try refreshRequest(parameters, correlation), correlation, complete: complete)
        } catch { complete(.failure(error)) }
    }

    /// Signs `account` out as `parameters` say.
    func signOut(
        _ account: MSALAccount, _ parameters: MSALSignoutParameters, _ correlation: UUID,
        complete: @escaping @Sendable (Result<Void, Fault>) -> Void
    ) {
        do throws(Fault) {
            signOut(try signOutRequest(account, parameters, correlation), complete: complete)
        } catch { complete(.failure(error)) }
    }
}
