// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension Descriptor {
    /// Whether the peer of a connected socket has closed it and left nothing to read; never blocks.
    package var isEnded: Bool {
        withNumber { number in
            var byte: UInt8 = 0
            return unsafe recv(number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
        }
    }
}
