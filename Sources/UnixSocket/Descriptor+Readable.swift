// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension Descriptor {
    /// Whether something, or the end, is there to be read within so many milliseconds; blocks that long at most.
    package func isReadable(within milliseconds: Int32) -> Bool {
        withNumber { number in
            var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&question, 1, milliseconds) > 0
        }
    }
}
