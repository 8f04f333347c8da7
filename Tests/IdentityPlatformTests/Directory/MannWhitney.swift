// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The rank test of Mann and Whitney: whether one of two samples tends to greater values, whatever their distribution.
struct MannWhitney {
    /// How many standard deviations U lies off its mean where both samples come of one distribution.
    let z: Double

    /// Ties count half; with samples above 20 U is as good as normal.
    init(_ left: [Double], _ right: [Double]) {
        let wins = left.reduce(0.0) { sum, a in
            sum + right.reduce(0.0) { $0 + (a > $1 ? 1 : a == $1 ? 0.5 : 0) }
        }
        let (n, m) = (Double(left.count), Double(right.count))
        z = (wins - n * m / 2) / (n * m * (n + m + 1) / 12).squareRoot()
    }

    /// The probability of a z as far off as this one, in either direction, where nothing tells the samples apart.
    var probability: Double { erfc(abs(z) / 2.0.squareRoot()) }
}
