// SPDX-License-Identifier: Apache-2.0

/// One block of the kiosk's bar (swaybar-protocol(7)).
struct BarBlock: Encodable, Equatable {
    /// The action of a block that can be touched. The other blocks only show text.
    enum Touch: String { case home, handover }

    let name: String
    let text: String
    /// The background colour; nil for the bar's own background. White text is readable on every colour that is used
    /// here.
    var background: String?
    /// The minimum width in pixels, before the output is scaled.
    var minimumWidth: Int?

    private let align = "center"
    private let colour = "#ffffff"
    private let hasSeparator = false

    private enum CodingKeys: String, CodingKey {
        case name, text = "full_text", background, minimumWidth = "min_width", align, colour = "color"
        case hasSeparator = "separator"
    }

    /// Adds a space before and after the text, to separate it from other texts and from the edges of a button.
    private init(name: String, text: String) { (self.name, self.text) = (name, "\u{2002}\(text)\u{2002}") }

    private init(_ touch: Touch, text: String, background: String, minimumWidth: Int) {
        self.init(name: touch.rawValue, text: text)
        (self.background, self.minimumWidth) = (background, minimumWidth)
    }

    /// The maximum number of characters of a title, so that it leaves space for the buttons.
    private static let maximumTitle = 32
    private static let quiet = "#36434f"

    /// Composes the bar from what the screen shows. The last block is at the right edge, and stays there whatever the
    /// other blocks contain.
    ///
    /// - Parameters:
    ///   - obstacle: why no window opens; nil if windows open. The bar shows it in place of the screen's title or the
    ///     worker's name, because there is no room beside them.
    ///   - home: the text of the button that leads to the home screen.
    ///   - accent: the colour of the button Hand over.
    static func blocks(of view: HomeView, clock: String, obstacle: String?, home: String, accent: String) -> [BarBlock]
    {
        var blocks: [BarBlock] = []
        if view.worker != nil { blocks.append(BarBlock(.home, text: home, background: quiet, minimumWidth: 220)) }
        if let obstacle {
            blocks.append(BarBlock(name: "obstacle", text: obstacle))
        } else if !view.title.isEmpty {
            let isLong = view.title.count > maximumTitle
            blocks.append(
                BarBlock(name: "title", text: isLong ? view.title.prefix(maximumTitle - 1) + "…" : view.title))
        }
        blocks.append(BarBlock(name: "clock", text: clock))
        if let button = view.button, button.touch == .handover {
            blocks.append(
                BarBlock(
                    .handover, text: button.label, background: button.isBusy ? quiet : accent, minimumWidth: 360))
        }
        return blocks
    }
}
