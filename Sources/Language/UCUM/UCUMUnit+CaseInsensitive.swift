extension UCUMUnit {
    /// Reads a unit in the case insensitive form of UCUM (`MG/DL`, `M[IU]/ML`), with letters in any case. Its ``code``
    /// is the case sensitive form.
    ///
    /// The two forms have different codes (`S` is siemens in one form and second in the other), so the caller must know
    /// that a text has this form. FHIR and HL7 version 3 use the case sensitive form.
    /// - Throws: as ``init(_:)``; offsets are those in `text`.
    public init(caseInsensitive text: String) throws(UCUMError) {
        try self.init(try UnitParser.caseSensitive(text))
    }
}

extension UnitParser {
    /// Returns the case sensitive form of an expression with case insensitive symbols.
    static func caseSensitive(_ text: String) throws(UCUMError) -> String {
        guard text.utf8.count <= UCUMLimit.length else { return text }
        var result = ""
        var offset = 0
        for part in parts(of: text) {
            if part.isSymbol {
                guard let code = CaseInsensitiveSymbols.shared.code(for: part.text) else {
                    throw UCUMError(
                        code: "unknown-unit", offset: offset,
                        message: "This symbol is not a unit of UCUM in its case insensitive form.")
                }
                result += code
            } else {
                result += part.text
            }
            offset += part.text.utf8.count
        }
        return result
    }
}

/// The symbols of the case insensitive form. If two units share one, such as `L` and `l`, the first of the table is
/// used.
private struct CaseInsensitiveSymbols: Sendable {
    private let atoms: [String: UCUMAtom]
    private let prefixes: [String: String]

    static let shared = CaseInsensitiveSymbols()

    private init() {
        atoms = Dictionary(
            UCUMAtom.all.compactMap { atom in atom.caseInsensitiveCode.map { ($0.uppercased(), atom) } },
            uniquingKeysWith: { first, _ in first })
        prefixes = Dictionary(
            UCUMTable.rows().filter { $0.first == "P" && $0.count > 2 }.map { (String($0[2]), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    func code(for symbol: String) -> String? {
        let symbol = symbol.uppercased()
        if let atom = atoms[symbol] { return atom.code }
        for length in stride(from: min(3, symbol.utf8.count - 1), through: 1, by: -1) {
            if let prefix = prefixes[String(symbol.prefix(length))],
                let atom = atoms[String(symbol.dropFirst(length))], atom.isMetric
            {
                return prefix + atom.code
            }
        }
        return nil
    }
}
