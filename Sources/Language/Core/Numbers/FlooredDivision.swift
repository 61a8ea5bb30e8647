extension FixedWidthInteger where Self: SignedInteger {
    /// Returns the quotient rounded toward minus infinity and the remainder, which is never negative: an instant before
    /// 1970 is counted to its own day, not to the next one.
    /// - Precondition: the divisor is positive.
    @inlinable
    public func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
