import Core

/// The meaning of an expression of units: a factor and a dimension, and for special units the scale they are measured
/// on.
struct UnitMeaning: Sendable {
    /// How many base units one unit is; for a special unit the factor that scales its values (specification §22).
    var factor: ExactNumber
    var dimension: UCUMDimension
    var scale: Scale

    /// The kind of scale that values in the unit are measured on.
    enum Scale: Sendable, Hashable {
        /// A ratio scale: a value times the factor is the value in base units.
        case ratio
        /// The scale of a special unit, by its atom's place in the table.
        case special(atom: Int)
        /// A special unit stands in a product or under an exponent, where its values have no meaning.
        case none
    }

    static let one = UnitMeaning(factor: .one, dimension: .one, scale: .ratio)

    init(factor: ExactNumber, dimension: UCUMDimension, scale: Scale = .ratio) {
        self.factor = factor
        self.dimension = dimension
        self.scale = scale
    }

    static func * (left: UnitMeaning, right: UnitMeaning) -> UnitMeaning {
        UnitMeaning(
            factor: left.factor * right.factor,
            dimension: left.dimension * right.dimension,
            scale: left.scale(multipliedBy: right))
    }

    static func / (left: UnitMeaning, right: UnitMeaning) -> UnitMeaning {
        let inverse = right.power(-1)
        return left * inverse
    }

    /// The unit raised to a power.
    func power(_ exponent: Int) -> UnitMeaning {
        if exponent == 1 { return self }
        return UnitMeaning(
            factor: factor.power(exponent),
            dimension: dimension.power(exponent),
            scale: scale == .ratio ? .ratio : .none)
    }

    /// A special unit may be scaled by a number (specification §22), and that is all.
    private func scale(multipliedBy other: UnitMeaning) -> Scale {
        switch (scale, other.scale) {
        case (.ratio, .ratio): .ratio
        case (.special, .ratio) where other.dimension.isDimensionless: scale
        case (.ratio, .special) where dimension.isDimensionless: other.scale
        default: .none
        }
    }

    var isBounded: Bool { factor.isBounded }
}
