// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether data or the end of the stream can be read within this time.
package func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&question, 1, milliseconds) > 0
}
