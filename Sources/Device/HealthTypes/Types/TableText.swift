/// The tables of health types as text: one row per line, `|` between cells.
enum TableText {
    /// Returns the cells of the rows. A cell `-` is empty.
    static func rows(_ text: StaticString) -> [[String]] {
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return bytes.split(separator: 0x0A).map { line in
            cells(of: String(decoding: line, as: UTF8.self), separator: "|").map { $0 == "-" ? "" : $0 }
        }
    }

    /// Returns the parts of a cell between separators, without surrounding spaces.
    static func cells(of text: String, separator: Character) -> [String] {
        text.split(separator: separator, omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns the words of a cell.
    static func words(_ cell: String) -> [String] { cell.split(separator: " ").map(String.init) }
}

/// One case of a HealthKit enumeration in the syntax of the tables: `4 AsleepDeep = Asleep, deep`.
struct TableCase {
    let number: String
    let name: String
    let otherNames: [String]
    let words: String

    init?(_ text: String) {
        let halves = TableText.cells(of: text, separator: "=")
        guard halves.count == 2, !halves[1].isEmpty else { return nil }
        let names = TableText.words(halves[0])
        guard names.count > 1, Int(names[0]) != nil else { return nil }
        number = names[0]
        name = names[1]
        otherNames = Array(names.dropFirst(2))
        words = halves[1]
    }

    /// Returns the option with the names of the enumeration and the case. Its number and other names are aliases.
    func option(of enumeration: String) -> HealthOption {
        HealthOption(enumeration + name, words, aliases: otherNames + [number])
    }
}
