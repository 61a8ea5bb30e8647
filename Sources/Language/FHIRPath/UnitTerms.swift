/// Products and quotients of simple UCUM units in short form: `cm` times `cm2` is `cm3`, `m/s` times `s` is `m`.
enum UnitTerms {
    private struct Term {
        let symbol: Substring
        var exponent: Int
    }

    /// Returns the unit of a product or quotient; nil if a unit has parentheses, annotations or numbers.
    static func combined(_ first: String, _ second: String, isDivision: Bool) -> String? {
        guard var terms = terms(of: first), let others = self.terms(of: second) else { return nil }
        for other in others {
            let exponent = isDivision ? -other.exponent : other.exponent
            if let index = terms.firstIndex(where: { $0.symbol == other.symbol }) {
                terms[index].exponent += exponent
            } else {
                terms.append(Term(symbol: other.symbol, exponent: exponent))
            }
        }
        return text(of: terms)
    }

    private static func text(of terms: [Term]) -> String {
        func power(_ term: Term) -> String {
            let exponent = term.exponent.magnitude
            return exponent == 1 ? String(term.symbol) : "\(term.symbol)\(exponent)"
        }
        let above = terms.filter { $0.exponent > 0 }.map(power).joined(separator: ".")
        let below = terms.filter { $0.exponent < 0 }.map { "/" + power($0) }.joined()
        return above.isEmpty && below.isEmpty ? "1" : above + below
    }

    private static func terms(of code: String) -> [Term]? {
        guard code != "1" else { return [] }
        var output: [Term] = []
        var isBelow = false
        var rest = code[...]
        if rest.first == "/" {
            isBelow = true
            rest = rest.dropFirst()
        }
        while true {
            guard let (symbol, exponent, after) = term(at: rest) else { return nil }
            let signed = isBelow ? -exponent : exponent
            if let index = output.firstIndex(where: { $0.symbol == symbol }) {
                output[index].exponent += signed
            } else {
                output.append(Term(symbol: symbol, exponent: signed))
            }
            guard let sign = after.first else { return output }
            isBelow = sign == "/"
            rest = after.dropFirst()
        }
    }

    private static func term(at text: Substring) -> (
        symbol: Substring, exponent: Int, rest: Substring
    )? {
        var isBracketed = false
        var end = text.startIndex
        while end < text.endIndex {
            let character = text[end]
            if character == "[" { isBracketed = true }
            if character == "]" { isBracketed = false }
            if "(){}".contains(character) { return nil }
            if !isBracketed && (character == "." || character == "/") { break }
            end = text.index(after: end)
        }
        let whole = text[..<end]
        let digits = whole.reversed().prefix { $0.isASCII && $0.isNumber }.count
        var symbol = whole.dropLast(digits)
        var exponent = digits == 0 ? 1 : Int(whole.suffix(digits))
        if digits > 0, let sign = symbol.last, sign == "-" || sign == "+" {
            symbol = symbol.dropLast()
            if sign == "-" { exponent = exponent.map { -$0 } }
        }
        guard let exponent, !symbol.isEmpty, symbol.first?.isNumber != true, exponent.magnitude < 100
        else {
            return nil
        }
        return (symbol, exponent, text[end...])
    }
}
