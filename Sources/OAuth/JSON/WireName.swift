// SPDX-License-Identifier: Apache-2.0

/// A name that stands on the wire, spelt in one place: the raw value of an enum's case.
package protocol WireName: RawRepresentable<String>, Sendable {}
