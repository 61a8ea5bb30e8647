import Core

/// The prefixes and units of ucum-essence, read from the generated text when the first unit is parsed.
///
/// The rows of ``essence``, with columns separated by `|`:
/// `P` code, case insensitive code, value, names, printed symbol;
/// `B` code, case insensitive code, letter of the dimension, names, printed symbol, properties;
/// `U` code, case insensitive code, flags (`m` metric, `s` special, `a` arbitrary), value, unit of the definition,
/// function of a special unit, class, names, printed symbol, properties.
struct UCUMTable: Sendable {
    /// A unit without prefix, with its meaning from the definitions.
    struct Atom: Sendable {
        let code: String
        let isMetric: Bool
        let isArbitrary: Bool
        /// The meaning of one unit; for a special unit a factor of 1 on its own scale.
        var meaning: UnitMeaning
        /// For a special unit: its function, and the size of the corresponding proper unit.
        var special: Special?
    }

    struct Special: Sendable {
        let function: SpecialFunction
        let unit: UnitMeaning
    }

    private(set) var atoms: [Atom] = []
    private var atomIndex: [String: Int] = [:]
    private var prefixIndex: [String: ExactNumber] = [:]

    static let shared = UCUMTable(rows: rows())

    /// The rows of the table with their columns.
    static func rows() -> [[Substring]] {
        essence.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
            .split(separator: "\n")
            .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    }

    func atom(_ code: String) -> Int? { atomIndex[code] }

    func prefix(_ code: String) -> ExactNumber? { prefixIndex[code] }

    /// Maximum length of a prefix of ucum-essence in bytes.
    static let longestPrefix = 2
}

extension UCUMTable {
    private init(rows: [[Substring]]) {
        var definitions: [Int: Definition] = [:]
        for row in rows where row.count > 3 {
            let code = String(row[1])
            switch row[0] {
            case "P":
                prefixIndex[code] = ExactNumber(decimal: row[3])
            case "B":
                var base = SIMD8<Int32>.zero
                base[UCUMDimension.baseUnits.firstIndex(of: code) ?? 7] = 1
                add(
                    Atom(
                        code: code, isMetric: true, isArbitrary: false,
                        meaning: UnitMeaning(factor: .one, dimension: UCUMDimension(base: base, arbitraryUnits: []))))
            case "U" where row.count > 6:
                definitions[atoms.count] = Definition(
                    value: ExactNumber(decimal: row[4]) ?? .one, unit: String(row[5]),
                    function: SpecialFunction(rawValue: String(row[6])))
                add(
                    Atom(
                        code: code, isMetric: row[3].contains("m"), isArbitrary: row[3].contains("a"), meaning: .one))
            default:
                break
            }
        }
        for index in atoms.indices { resolve(index, from: &definitions) }
    }

    private struct Definition {
        let value: ExactNumber
        let unit: String
        let function: SpecialFunction?
    }

    private mutating func add(_ atom: Atom) {
        atomIndex[atom.code] = atoms.count
        atoms.append(atom)
    }

    /// Computes an atom's meaning, after those of the units in its definition.
    private mutating func resolve(_ index: Int, from definitions: inout [Int: Definition]) {
        guard let definition = definitions.removeValue(forKey: index) else { return }
        for part in UnitParser.parts(of: definition.unit) where part.isSymbol {
            if let needed = lookUp(part.text)?.atom { resolve(needed, from: &definitions) }
        }
        guard let unit = try? UnitParser.parse(definition.unit, table: self).meaning else { return }
        let size = UnitMeaning(factor: (definition.value * unit.factor).reduced, dimension: unit.dimension)
        if let function = definition.function {
            // The definitions of the tangents have the degree as unit, but mean `100tan(1 rad)`.
            let isAngle = function == .tangent || function == .percentTangent
            let proper = isAngle ? UnitMeaning(factor: .one, dimension: size.dimension) : size
            atoms[index].special = Special(function: function, unit: proper)
            atoms[index].meaning = UnitMeaning(
                factor: .one, dimension: size.dimension, scale: .special(atom: index))
        } else if atoms[index].isArbitrary, unit.dimension.arbitraryUnits.isEmpty {
            atoms[index].meaning.dimension.arbitraryUnits = [.init(atom: index, exponent: 1)]
        } else {
            atoms[index].meaning = size
        }
    }

    /// Splits a symbol into a prefix and an atom. If several prefixes match, the longest is used (specification §4.4).
    /// No symbol of the table is also a prefix with a metric atom, so the order of these checks is irrelevant; a test
    /// ensures this.
    func lookUp(_ symbol: String) -> (prefix: String?, atom: Int)? {
        if let atom = atomIndex[symbol] { return (nil, atom) }
        for (prefix, rest) in Self.splits(symbol) where prefixIndex[prefix] != nil {
            if let atom = atomIndex[rest], atoms[atom].isMetric { return (prefix, atom) }
        }
        return nil
    }

    /// Returns the ways to split a prefix from a symbol, the longest prefix first.
    static func splits(_ symbol: String) -> [(prefix: String, rest: String)] {
        let bytes = symbol.utf8
        guard bytes.count > 1 else { return [] }
        return (1...min(longestPrefix, bytes.count - 1)).reversed().map { length in
            let boundary = bytes.index(bytes.startIndex, offsetBy: length)
            return (String(symbol[..<boundary]), String(symbol[boundary...]))
        }
    }
}
