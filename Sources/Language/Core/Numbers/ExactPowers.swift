/// The powers of ten that a floating point number represents exactly. The product and the quotient of an integer below
/// 2^53 and one of these powers are correctly rounded (IEEE 754).
package enum ExactPowers {
    /// 1 to 10^22.
    package static let ofTen: [Double] = (0...22).map { Double("1e\($0)") ?? .nan }
}
