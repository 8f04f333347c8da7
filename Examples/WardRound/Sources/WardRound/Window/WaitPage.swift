// SPDX-License-Identifier: Apache-2.0

/// A page that shows nobody's data, while the app waits for something.
@MainActor struct WaitPage {
    private let text = Label().centered()
    let widget: Box

    init() {
        widget = Box.column(spacing: 24, Spinner().aligned(across: .center), text)
            .styled("page").aligned(across: .center, down: .center)
    }

    func show(_ text: String) { self.text.set(text) }
}
