// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The rank test of Mann and Whitney. It checks whether the values in one of two samples tend to be greater. The
/// samples may have any distribution.
struct MannWhitney {
    /// The distance, in standard deviations, of the test's statistic U from the mean that U has if both samples come
    /// from the same distribution.
    let z: Double

    /// Compares two samples. Ties count half. With samples of more than 20 values, U is nearly normally distributed.
    init(_ left: [Double], _ right: [Double]) {
        let wins = left.reduce(0.0) { sum, a in
            sum + right.reduce(0.0) { $0 + (a > $1 ? 1 : a == $1 ? 0.5 : 0) }
        }
        let (n, m) = (Double(left.count), Double(right.count))
        z = (wins - n * m / 2) / (n * m * (n + m + 1) / 12).squareRoot()
    }

    /// The probability that z is at least this far from 0, in either direction, if both samples come from the same
    /// distribution.
    var probability: Double { erfc(abs(z) / 2.0.squareRoot()) }
}
