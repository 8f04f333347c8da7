// SPDX-License-Identifier: Apache-2.0

/// Directory roles by Entra's template ids, as they stand in the claim `wids`.
package enum DirectoryRole: String, Sendable, CaseIterable {
    case cloudDeviceAdministrator = "7698a772-787b-4ac8-901f-60d6b08affd2"
    case globalAdministrator = "62e90394-69f5-4237-9190-012177145e10"
}
