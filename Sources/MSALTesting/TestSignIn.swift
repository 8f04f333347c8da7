// SPDX-License-Identifier: Apache-2.0

/// What comes of the sign-in page that an `acquireToken` of the app opens on a ``TestDevice``.
public enum TestSignIn: Sendable, Equatable {
    /// This worker signs in.
    case worker(TestWorker)
    /// The page ends otherwise.
    case failure(TestFailure)
    /// The page stays open until ``TestDevice/finishSignIn(_:)``, or until the app gives the sign-in up.
    case staysOpen

    /// The person closes the page.
    public static let canceled = TestSignIn.failure(.canceled)
}
