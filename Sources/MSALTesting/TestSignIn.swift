// SPDX-License-Identifier: Apache-2.0

/// The outcome of a sign-in page that the app's `acquireToken` opens on a ``TestDevice``.
public enum TestSignIn: Sendable, Equatable {
    /// This worker signs in.
    case worker(TestWorker)
    /// The page ends with an error.
    case failure(TestFailure)
    /// The page stays open until ``TestDevice/finishSignIn(_:)`` is called or the app cancels the sign-in.
    case staysOpen

    /// The user closes the page.
    public static let canceled = TestSignIn.failure(.canceled)
}
