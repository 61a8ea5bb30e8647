/// A unit of ucum-essence without prefix: its codes, names and definition, for search, lists and explanations.
public struct UCUMAtom: Sendable, Hashable {
    /// The case sensitive code, `[in_i]`.
    public let code: String
    /// The code of the case insensitive variant, `[IN_I]`; nil if the table has none.
    public let caseInsensitiveCode: String?
    /// The names in English, the first one preferred.
    public let names: [String]
    /// The symbol used in print, with `_` before a subscript and `^` before a superscript; may be empty.
    public let printSymbol: String
    /// The kinds of quantity that it measures, such as `length`.
    public let properties: [String]
    /// The table of the specification that contains it: `si`, `clinical`, `chemical` and others; `base` for base units.
    public let category: String
    /// Whether prefixes are allowed.
    public let isMetric: Bool
    /// Whether its values are on a scale of their own, such as degrees Celsius.
    public let isSpecial: Bool
    /// Whether it depends on a procedure and cannot be converted, such as international units.
    public let isArbitrary: Bool
    /// The value and the unit that define it, such as `254e-2` and `cm`; both are empty for base units.
    public let definition: (value: String, unit: String)
    /// The name of the function that defines a special unit; nil for other units.
    public let function: String?

    /// The preferred name.
    public var name: String { names.first ?? code }

    public static func == (left: UCUMAtom, right: UCUMAtom) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UCUMAtom {
    /// The version of ucum-essence that contains the units.
    public static let tableVersion = UCUMTable.essenceVersion

    /// All units of ucum-essence in its order, base units first.
    public static let all: [UCUMAtom] = UCUMTable.rows().compactMap(UCUMAtom.init(row:))

    private static let byCode = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns the unit with a code, without prefix.
    public init?(code: String) {
        guard let atom = Self.byCode[code] else { return nil }
        self = atom
    }

    /// Returns the units whose code, printed symbol, names or properties contain the text, ignoring case. Units whose
    /// code, symbol or name equals the text come first.
    public static func search(_ text: String) -> [UCUMAtom] {
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return [] }
        var exact: [UCUMAtom] = []
        var partial: [UCUMAtom] = []
        for atom in all {
            let own = [atom.code, atom.printSymbol] + atom.names
            if own.contains(where: { $0.lowercased() == wanted }) {
                exact.append(atom)
            } else if (own + atom.properties).contains(where: { $0.lowercased().contains(wanted) }) {
                partial.append(atom)
            }
        }
        return exact + partial
    }

    private init?(row: [Substring]) {
        func column(_ index: Int) -> String { index < row.count ? String(row[index]) : "" }
        func list(_ index: Int) -> [String] {
            index < row.count ? row[index].split(separator: ";").map(String.init) : []
        }
        switch row.first {
        case "B":
            self.init(
                code: column(1), caseInsensitiveCode: column(2), names: list(4), printSymbol: column(5),
                properties: list(6), category: "base", isMetric: true, isSpecial: false, isArbitrary: false,
                definition: ("", ""), function: nil)
        case "U":
            self.init(
                code: column(1), caseInsensitiveCode: column(2).isEmpty ? nil : column(2), names: list(8),
                printSymbol: column(9), properties: list(10), category: column(7), isMetric: column(3).contains("m"),
                isSpecial: column(3).contains("s"), isArbitrary: column(3).contains("a"),
                definition: (column(4), column(5)), function: column(6).isEmpty ? nil : column(6))
        default: return nil
        }
    }
}
