// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The rank test of Mann and Whitney. It checks whether one of two samples tends to greater values, whatever their
/// distribution.
struct MannWhitney {
    /// How many standard deviations U lies from the mean that it has if both samples come from one distribution.
    let z: Double

    /// Ties count half. With samples of more than 20 values, U is nearly normally distributed.
    init(_ left: [Double], _ right: [Double]) {
        let wins = left.reduce(0.0) { sum, a in
            sum + right.reduce(0.0) { $0 + (a > $1 ? 1 : a == $1 ? 0.5 : 0) }
        }
        let (n, m) = (Double(left.count), Double(right.count))
        z = (wins - n * m / 2) / (n * m * (n + m + 1) / 12).squareRoot()
    }

    /// The probability of a z at least this far from 0, in either direction, if both samples come from one
    /// distribution.
    var probability: Double { erfc(abs(z) / 2.0.squareRoot()) }
}
