extension UCUMUnit {
    /// The unit in English words, for display: `millimole per liter`, `kilogram meter per second squared`. Annotations
    /// are in parentheses, `gram (creatinine)`. It consists of the names in ucum-essence and cannot be parsed.
    public var displayName: String {
        guard let outcome = try? UnitParser.parse(code, table: .shared, keepsPieces: true) else { return code }
        var words: [String] = []
        for piece in outcome.pieces {
            switch piece {
            case .multiply: break
            case .divide: words.append("per")
            case .open: words.append("(")
            case .close: words.append(")")
            case .factor(let number): words.append(String(number))
            case .annotation(let text): words.append("(\(text.replacing("_", with: " ")))")
            case .symbol(let prefix, let atom, let exponent):
                words.append(Self.name(prefix: prefix, atom: atom, exponent: exponent))
            }
        }
        return words.joined(separator: " ").replacing("( ", with: "(").replacing(" )", with: ")")
    }

    private static func name(prefix: String?, atom: Int, exponent: Int) -> String {
        let code = UCUMTable.shared.atoms[atom].code
        if code == "10*" || code == "10^" { return exponent == 1 ? "10" : "10^\(exponent)" }
        let name = (prefix.map { UCUMAtom.prefixNames[$0] ?? $0 } ?? "") + (UCUMAtom(code: code)?.name ?? code)
        return switch exponent {
        case 1: name
        case 2: "\(name) squared"
        case 3: "\(name) cubed"
        default: "\(name) to the power of \(exponent)"
        }
    }
}

extension UCUMAtom {
    /// The names of the prefixes by their codes.
    static let prefixNames: [String: String] = Dictionary(
        UCUMTable.rows().filter { $0.first == "P" && $0.count > 4 }.map { (String($0[1]), String($0[4])) },
        uniquingKeysWith: { first, _ in first })
}
