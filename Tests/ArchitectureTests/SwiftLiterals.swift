/// The string literals of a Swift text, with `{1}`, `{2}` ... for the interpolated values. Literals that `+` joins are
/// one.
struct SwiftLiterals {
    private(set) var literals: [String] = []
    private let characters: [Character]
    private var index = 0

    init(_ source: String) {
        characters = Array(source)
        readCode(isInterpolation: false)
    }

    private func starts(_ text: String) -> Bool { characters[index...].starts(with: text) }

    /// Reads code to its end, or to the parenthesis that closes an interpolation.
    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        var previous: Int?
        var between = ""
        while index < characters.count {
            if starts("//") {
                while index < characters.count, characters[index] != "\n" { index += 1 }
            } else if let (quote, hashes) = opening() {
                index += quote.count + hashes.count
                let literal = readLiteral(quote: quote, hashes: hashes)
                if let previous, between.filter({ !$0.isWhitespace }) == "+" {
                    literals[previous] += literal
                } else {
                    literals.append(literal)
                    previous = literals.count - 1
                }
                between = ""
            } else {
                let character = characters[index]
                index += 1
                if isInterpolation {
                    if character == "(" { depth += 1 }
                    if character == ")" {
                        if depth == 0 { return }
                        depth -= 1
                    }
                }
                between.append(character)
            }
        }
    }

    private func opening() -> (quote: String, hashes: String)? {
        let hashes = String(characters[index...].prefix { $0 == "#" })
        let quotes = characters[(index + hashes.count)...].prefix(3)
        guard quotes.first == "\"" else { return nil }
        return (quotes.elementsEqual("\"\"\"") ? "\"\"\"" : "\"", hashes)
    }

    private mutating func readLiteral(quote: String, hashes: String) -> String {
        var text = ""
        var count = 0
        while index < characters.count, !starts(quote + hashes) {
            // A quote inside of a regular expression begins no literal.
            if quote.count == 1, characters[index] == "\n" { return text }
            guard starts("\\" + hashes) else {
                text.append(characters[index])
                index += 1
                continue
            }
            index += 1 + hashes.count
            guard index < characters.count else { break }
            let escaped = characters[index]
            index += 1
            switch escaped {
            case "(":
                readCode(isInterpolation: true)
                count += 1
                text += "{\(count)}"
            case "\n": while index < characters.count, characters[index] == " " { index += 1 }
            case "n": text.append("\n")
            default: text.append(escaped)
            }
        }
        index = min(index + quote.count + hashes.count, characters.count)
        guard quote.count == 3 else { return text }
        return text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
