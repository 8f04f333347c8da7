// SPDX-License-Identifier: Apache-2.0

/// The style sheet: large type, large touch targets, and the colours of the desktop's own theme, light or dark.
enum Style {
    static let sheet = """
        window { font-size: 18px; }
        .page { padding: 24px; }
        .message { min-width: 440px; }
        .title { font-size: 30px; font-weight: 700; }
        .name { font-size: 24px; font-weight: 700; }
        .initials {
            min-width: 60px; min-height: 60px; border-radius: 30px; font-size: 22px; font-weight: 700;
            color: @theme_selected_fg_color; background: @theme_selected_bg_color;
        }
        .hint { padding: 60px 0; }
        .quiet { opacity: 0.7; }
        button { min-height: 60px; padding: 0 32px; border-radius: 14px; font-size: 19px; font-weight: 600; }
        entry { min-height: 60px; padding: 0 18px; border-radius: 14px; font-size: 19px; }
        .notice {
            padding: 14px 18px; border-radius: 14px;
            background: alpha(@warning_color, 0.18); border-left: 6px solid @warning_color;
        }
        list { background: transparent; }
        row {
            margin: 0 0 12px 0; padding: 18px; border-radius: 14px;
            background: @theme_base_color; border: 1px solid @borders;
        }
        row:focus-visible { outline: 3px solid @theme_selected_bg_color; }
        .time { font-size: 15px; font-feature-settings: "tnum"; opacity: 0.7; }
        spinner { min-width: 48px; min-height: 48px; }
        """
}
