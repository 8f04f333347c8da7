// SPDX-License-Identifier: Apache-2.0
package import Workers

/// What the window shows.
package enum Screen: Equatable, Sendable {
    /// A cover, while the app asks who is signed in.
    case checking
    /// An invitation to sign in, and why the last attempt failed.
    case nobody(isShared: Bool, notice: Problem?)
    case signingIn
    case signingOut
    case worker(WorkerData, notice: Problem?)
    /// No worker's data, because the app cannot know whose data it may show.
    case closed(Problem)
}
