// SPDX-License-Identifier: Apache-2.0

enum ServerVersion {
    static let current = "0.1.0"
}
