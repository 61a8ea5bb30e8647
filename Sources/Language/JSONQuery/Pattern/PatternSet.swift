/// A set of UTF-16 units. .NET's patterns match unit by unit.
struct PatternSet: Sendable {
    enum Item: Sendable {
        case range(ClosedRange<UInt16>)
        case digit, word, space
        /// Unicode's general categories whose names begin with the text, such as `L` and `Lu`.
        case category(String)
        /// The complement of an item, such as `\D` inside of brackets.
        indirect case not(Item)
    }

    var items: [Item] = []
    var isNegated = false
    var ignoresCase = false
    /// The sets that are subtracted, as in `[a-z-[aeiou]]`.
    var without: [PatternSet] = []

    init(_ items: [Item], isNegated: Bool = false, ignoresCase: Bool = false) {
        self.items = items
        self.isNegated = isNegated
        self.ignoresCase = ignoresCase
    }

    /// Creates the set of one unit.
    init(_ unit: UInt16, ignoresCase: Bool) {
        // The set contains only this case; `contains` also checks the other case of a unit.
        items = [.range(unit...unit)]
        self.ignoresCase = ignoresCase
    }

    func contains(_ unit: UInt16) -> Bool {
        let isIn = items.contains { $0.contains(unit) } || (ignoresCase && containsOtherCase(of: unit))
        return isIn != isNegated && !without.contains { $0.contains(unit) }
    }

    private func containsOtherCase(of unit: UInt16) -> Bool {
        guard let properties = Unicode.Scalar(unit)?.properties else { return false }
        for mapping in [properties.lowercaseMapping, properties.uppercaseMapping] {
            let units = mapping.utf16
            guard units.count == 1, let other = units.first, other != unit else { continue }
            if items.contains(where: { $0.contains(other) }) { return true }
        }
        return false
    }

    /// Whether the unit is part of a word for `\b`.
    static func isWord(_ unit: UInt16) -> Bool {
        Item.word.contains(unit) || unit == 0x200C || unit == 0x200D
    }
}

extension PatternSet.Item {
    fileprivate func contains(_ unit: UInt16) -> Bool {
        switch self {
        case .range(let range): return range.contains(unit)
        case .not(let item): return !item.contains(unit)
        case .digit: return Self.category(of: unit) == "Nd"
        case .space: return Unicode.Scalar(unit)?.properties.isWhitespace ?? false
        case .word:
            let category = Self.category(of: unit)
            return category.hasPrefix("L") || category == "Mn" || category == "Nd" || category == "Pc"
        case .category(let name): return Self.category(of: unit).hasPrefix(name)
        }
    }

    static let categories: Set<String> = [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe",
        "Pi",
        "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    private static func category(of unit: UInt16) -> String {
        guard let scalar = Unicode.Scalar(unit) else { return "Cs" }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
