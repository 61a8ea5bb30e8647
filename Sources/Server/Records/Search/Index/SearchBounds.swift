import Core

/// A number as the index has it: the bounds of a ``SearchNumber``, each the nearest double.
///
/// Equal numbers have equal bounds, for each is made of the exact one; two that differ behind the 16th digit are one.
struct SearchBounds: Sendable, Hashable {
    let low: Double
    let high: Double
    let implicitLow: Double
    let implicitHigh: Double

    init(_ number: SearchNumber) {
        low = number.low?.double ?? -.infinity
        high = number.high?.double ?? .infinity
        implicitLow = number.implicitLow?.double ?? -.infinity
        implicitHigh = number.implicitHigh?.double ?? .infinity
    }
}
