/// The codes that people mean by other writings.
enum UCUMSuggestion {
    /// The code for a symbol that is no unit: a common other writing, the same letters in another case, or the name or
    /// printed symbol of a unit. Nil where nothing is certain enough to be proposed.
    static func code(for symbol: String) -> String? {
        guard symbol.utf8.count <= 40 else { return nil }
        if let code = usual[symbol.lowercased()] { return code }
        let lowered = symbol.lowercased()
        if UCUMTable.shared.lookUp(lowered) != nil { return lowered }
        if let code = caseVariant(of: symbol) { return code }
        let singulars = ["", "s", "es"].filter(lowered.hasSuffix).map { String(lowered.dropLast($0.count)) }
        return UCUMAtom.all.first { atom in
            atom.printSymbol == symbol || atom.names.contains { singulars.contains($0.lowercased()) }
        }?.code
    }

    /// A symbol whose letters differ only in case, prefixes included; nil where several do.
    private static func caseVariant(of symbol: String) -> String? {
        let table = UCUMTable.shared
        let lowered = symbol.lowercased()
        var found: Set<String> = []
        for atom in table.atoms where lowered.hasSuffix(atom.code.lowercased()) {
            let rest = lowered.dropLast(atom.code.count)
            if rest.isEmpty {
                found.insert(atom.code)
            } else if atom.isMetric, rest.utf8.count <= UCUMTable.longestPrefix {
                for prefix in [String(rest), rest.uppercased(), rest.capitalized] where table.prefix(prefix) != nil {
                    found.insert(prefix + atom.code)
                }
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// Writings that clinical data are full of, in lower case.
    static let usual: [String: String] = [
        "mmhg": "mm[Hg]", "inhg": "[in_i'Hg]", "cmh2o": "cm[H2O]", "cm[h20]": "cm[H2O]", "degc": "Cel",
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
