// SPDX-License-Identifier: Apache-2.0

/// A name in a wire format, as the raw value of an enum case, so that it is spelled in one place.
package protocol WireName: RawRepresentable<String>, Sendable {}
