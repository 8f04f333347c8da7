// SPDX-License-Identifier: Apache-2.0

/// The files that a ``FormPage`` loads. The server of the page serves them.
package enum PageFiles {
    /// The stylesheet (`text/css`).
    package static var stylesheet: [UInt8] { PackageResources.form_css }
    /// The script that draws the on-screen keyboard (`text/javascript`).
    package static var keyboard: [UInt8] { PackageResources.keyboard_js }
}
