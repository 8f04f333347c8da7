// SPDX-License-Identifier: Apache-2.0

/// A page with one message and one button.
@MainActor struct MessagePage {
    private let title = Label().styled("title").centered()
    private let text = Label().centered()
    private let notice = Label(isAlert: true).styled("notice")
    private let button: Button
    let widget: Box

    init(button title: String, pressed: @escaping @MainActor () -> Void) {
        button = Button(title, pressed: pressed).styled("suggested-action")
        widget = Box.column(spacing: 24, self.title, text, notice, button)
            .styled("page").styled("message").aligned(across: .center, down: .center)
    }

    func show(title: String, text: String, notice: String = "") {
        self.title.set(title)
        self.text.set(text)
        self.notice.set(notice)
    }

    func focus() { button.focus() }
}
