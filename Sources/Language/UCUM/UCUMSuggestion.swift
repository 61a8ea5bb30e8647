/// Suggests the UCUM code for common other spellings of units.
enum UCUMSuggestion {
    /// Returns the code for a symbol that is not a unit: a common other spelling, the same letters in another case, or
    /// the name or printed symbol of a unit. Nil if no suggestion is certain enough.
    static func code(for symbol: String) -> String? {
        guard symbol.utf8.count <= 40 else { return nil }
        let lowered = symbol.lowercased()
        if let code = usual[lowered] { return code }
        if UCUMTable.shared.lookUp(lowered) != nil { return lowered }
        if let code = caseVariant(of: lowered) { return code }
        if let code = index.byPrintSymbol[symbol] { return code }
        for ending in ["", "s", "es"] where lowered.hasSuffix(ending) {
            if let code = index.byName[String(lowered.dropLast(ending.count))] { return code }
        }
        return nil
    }

    /// Returns the symbol that differs only in case, prefixes included; nil if there are several.
    private static func caseVariant(of lowered: String) -> String? {
        var found = index.byLoweredCode[lowered] ?? []
        for (prefix, rest) in UCUMTable.splits(lowered) {
            let prefixes = Set([prefix, prefix.uppercased(), prefix.capitalized])
                .filter { UCUMTable.shared.prefix($0) != nil }
            for code in index.byLoweredCode[rest] ?? [] where UCUMAtom(code: code)?.isMetric == true {
                found += prefixes.map { $0 + code }
            }
        }
        return found.count == 1 ? found.first : nil
    }

    private struct Index {
        var byName: [String: String] = [:]
        var byPrintSymbol: [String: String] = [:]
        var byLoweredCode: [String: [String]] = [:]
    }

    /// The units by their names and symbols. If several share one, the first unit of the table is used.
    private static let index: Index = UCUMAtom.all.reversed().reduce(into: Index()) { index, atom in
        for name in atom.names { index.byName[name.lowercased()] = atom.code }
        if !atom.printSymbol.isEmpty { index.byPrintSymbol[atom.printSymbol] = atom.code }
        index.byLoweredCode[atom.code.lowercased(), default: []].append(atom.code)
    }

    /// Spellings that are common in clinical data, in lower case.
    static let usual: [String: String] = [
        "mmhg": "mm[Hg]", "torr": "mm[Hg]", "inhg": "[in_i'Hg]", "cmh2o": "cm[H2O]", "cm[h20]": "cm[H2O]",
        "degc": "Cel",
        "celsius": "Cel",
        "degf": "[degF]", "fahrenheit": "[degF]", "lb": "[lb_av]", "lbs": "[lb_av]", "oz": "[oz_av]", "in": "[in_i]",
        "inch": "[in_i]", "ft": "[ft_i]", "foot": "[ft_i]", "feet": "[ft_i]", "yd": "[yd_i]", "mi": "[mi_i]",
        "mile": "[mi_i]", "stone": "[stone_av]", "sec": "s", "hr": "h", "hrs": "h", "mins": "min", "wks": "wk",
        "yr": "a", "yrs": "a", "year": "a", "years": "a", "mth": "mo", "iu": "[iU]", "mcg": "ug", "mcl": "uL",
        "mcmol": "umol", "cc": "mL", "gm": "g", "gms": "g", "gal": "[gal_us]", "psi": "[psi]", "btu": "[Btu]",
        "ph": "[pH]", "ppm": "[ppm]", "ppb": "[ppb]", "hpf": "[HPF]", "lpf": "[LPF]", "cfu": "[CFU]", "pfu": "[PFU]",
        "met": "[MET]", "mph": "[mi_i]/h", "kph": "km/h", "bpm": "/min", "rpm": "/min", "angstrom": "Ao",
        "floz": "[foz_us]", "tsp": "[tsp_us]", "tbsp": "[tbs_us]", "cup": "[cup_us]", "percent": "%", "micron": "um",
        "each": "1", "count": "1", "miu": "m[iU]", "uiu": "u[iU]", "dbspl": "dB[SPL]",
    ]
}
