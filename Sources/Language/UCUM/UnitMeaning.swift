import Core

/// The meaning of an expression of units: a factor and a dimension, and for special units their scale.
struct UnitMeaning: Sendable {
    /// The size of one unit in base units; for a special unit the factor that scales its values (specification §22).
    var factor: ExactNumber
    var dimension: UCUMDimension
    var scale: Scale

    /// Scale of the values in a unit.
    enum Scale: Sendable, Hashable {
        /// A ratio scale: a value times the factor is the value in base units.
        case ratio
        /// The scale of a special unit, identified by the index of its atom in the table.
        case special(atom: Int)
        /// A special unit in a product or with an exponent, whose values have no meaning.
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

    /// Returns the unit raised to a power.
    func power(_ exponent: Int) -> UnitMeaning {
        if exponent == 1 { return self }
        return UnitMeaning(
            factor: factor.power(exponent),
            dimension: dimension.power(exponent),
            scale: scale == .ratio ? .ratio : .none)
    }

    /// A special unit may be scaled by a number (specification §22), and by nothing else.
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
