// SPDX-License-Identifier: Apache-2.0
import Foundation
import WardRoundState
import Workers

/// The app's window. It shows a ``Screen``, and keeps data of a worker only while this screen shows that worker.
@MainActor final class WardRoundWindow {
    private let wait = WaitPage()
    private let invitation: MessagePage
    private let closed: MessagePage
    private let worker: WorkerPage
    private let pages: Pages
    private let window: Window
    /// The id of the worker whose data is on the worker's page, even while the page is covered.
    private var owner: String?

    /// - Parameter handle: receives the worker's actions.
    init(_ handle: @escaping @MainActor (WardRoundModel.Event) -> Void) {
        invitation = MessagePage(button: "Sign in") { handle(.signInChosen) }
        closed = MessagePage(button: "Try again") { handle(.returned) }
        worker = WorkerPage(
            entered: { handle(.noteEntered(Note($0, written: .now))) },
            typed: { handle(.draftChanged(isEmpty: $0.isEmpty)) }, signOut: { handle(.signOutChosen) })
        pages = Pages([
            "wait": wait.widget, "invitation": invitation.widget, "closed": closed.widget, "worker": worker.widget,
        ])
        window = Window(title: "Ward round", width: 560, height: 760, content: pages)
        window.onActive { handle(.returned) }
        window.onClose { MainLoop.end() }
    }

    func open() { window.present() }

    /// Shows a screen. The keyboard focus moves only if the page changes, so that a worker does not lose the focus when
    /// their profile arrives.
    func show(_ screen: Screen) {
        clear(before: screen)
        switch screen {
        case .checking: wait("One moment…")
        case .signingIn: wait("Sign in on the page that has opened.")
        case .signingOut: wait("Signing you out of this device…")
        case .nobody(let isShared, let notice):
            invitation.show(
                title: "Ward round", text: isShared ? Self.shared : Self.personal, notice: notice?.plainWords ?? "")
            if pages.turn(to: "invitation") { invitation.focus() }
        case .worker(let data, let notice):
            owner = data.worker.id
            worker.show(data, notice: notice)
            if pages.turn(to: "worker") { worker.focus() }
        case .closed(let problem):
            closed.show(title: "Not available now", text: problem.plainWords)
            if pages.turn(to: "closed") { closed.focus() }
        }
    }

    /// Clears the worker's page, unless it continues to show the same worker. During a check, a cover hides the page
    /// but does not change it, so that the same worker finds the line that they were writing.
    private func clear(before screen: Screen) {
        switch screen {
        case .checking: return
        case .worker(let data, _) where data.worker.id == owner: return
        default:
            worker.clear()
            owner = nil
        }
    }

    private func wait(_ text: String) {
        wait.show(text)
        _ = pages.turn(to: "wait")
    }

    private static let shared = "You share this device with others.\nSign in, and sign out before you hand it on."
    private static let personal = "Sign in with your work account."
}
