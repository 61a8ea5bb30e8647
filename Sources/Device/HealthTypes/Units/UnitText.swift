import Foundation
import UCUM

/// Parses the unit texts that apps and people write: UCUM's codes, HealthKit's names and common spellings.
///
/// A text that can mean several units has no result: the caller keeps the value as text.
public enum UnitText {
    /// Maximum length of a unit in bytes.
    public static let maximumLength = 50

    /// Returns the UCUM code of a unit text; nil for any other text.
    public static func ucum(_ text: String) -> String? {
        guard !text.isEmpty, text.utf8.count <= maximumLength else { return nil }
        if UCUMUnit.isValid(text) { return text }
        return (try? HealthKitUnit(text))?.ucum ?? usual(text) ?? named(text)
    }

    /// Returns the UCUM code of a text as a unit of a known quantity: `C` is the degree Celsius for a temperature, and
    /// the coulomb otherwise.
    ///
    /// - Parameter target: the UCUM code of a unit of the quantity.
    /// - Returns: the code; nil for a text that is not a unit of the quantity.
    public static func ucum(_ text: String, measuring target: String) -> String? {
        guard !text.isEmpty, text.utf8.count <= maximumLength, let wanted = try? UCUMUnit(target) else { return nil }
        if let word = countWord(text) { return counts(word, target) ? target : nil }
        let candidates =
            isAmbiguous(text) ? [ucum(text)] : [ucum(text), usual(text), inContext[normalised(text).lowercased()]]
        return candidates.compactMap { $0 }.first { code in
            (try? UCUMUnit(code))?.isComparable(to: wanted) ?? false
        }
    }

    /// Returns whether a text has two meanings that differ only in the case of its letters. `ML` is UCUM's megalitre,
    /// or the millilitre of a person who writes capitals; `MG` is the megagauss or the milligram.
    ///
    /// For a quotient such as `MG/L`, both meanings must measure the same quantity.
    public static func isAmbiguous(_ text: String) -> Bool {
        let small = text.lowercased()
        guard text.utf8.count >= 2, text != small, text == text.uppercased(), let written = try? UCUMUnit(text),
            let other = try? UCUMUnit(small)
        else { return false }
        guard written.isComparable(to: other) else { return text.allSatisfy(\.isLetter) }
        return (try? written.convert(1, to: other)) != 1
    }

    // MARK: Common spellings

    /// Returns the text with canonical spaces, powers, products and micro signs.
    private static func normalised(_ text: String) -> String {
        var output = ""
        for character in text.trimmingCharacters(in: .whitespacesAndNewlines) {
            switch character {
            case "\u{B5}", "\u{3BC}": output.append("u")
            case "²": output.append("2")
            case "³": output.append("3")
            case "·", "⋅", "*", "×": output.append(".")
            case "^": continue
            case let blank where blank.isWhitespace: if output.last != " " { output.append(" ") }
            default: output.append(character)
            }
        }
        for way in [" per ", " / ", "/ ", " /"] {
            output = output.replacingOccurrences(of: way, with: "/", options: .caseInsensitive)
        }
        return output
    }

    /// Returns the unit of a common spelling: a word, or words divided by words.
    private static func usual(_ text: String) -> String? {
        let parts = normalised(text).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3, let first = parts.first else { return nil }
        if parts.count == 1 {
            guard let word = countWord(first) else { return words[first.lowercased()] ?? unit(first) }
            return generic.contains(word) ? "1" : "{\(word)}"
        }
        var output = ""
        if !first.isEmpty, countWord(first) == nil {
            guard let dividend = unit(first) else { return nil }
            output = dividend
        }
        for part in parts.dropFirst() {
            guard let divisor = unit(part) else { return nil }
            output +=
                divisor.contains { $0 == "." || $0 == "/" } && !divisor.hasPrefix("(") ? "/(\(divisor))" : "/\(divisor)"
        }
        return UCUMUnit.isValid(output) ? output : nil
    }

    /// Returns the unit of one word between the slashes.
    private static func unit(_ word: String) -> String? {
        if let known = words[word.lowercased()] { return known }
        if UCUMUnit.isValid(word) { return word }
        return (try? HealthKitUnit(word)).flatMap { $0.isNull ? nil : $0.ucum } ?? named(word)
    }

    // MARK: Counts

    /// Returns the thing that a text counts, in singular; nil for a text that is not a count.
    private static func countWord(_ text: String) -> String? {
        let word = normalised(text).lowercased()
        if generic.contains(word) || things.contains(word) { return word }
        let one = singular(word)
        return generic.contains(one) || things.contains(one) ? one : nil
    }

    private static func singular(_ word: String) -> String {
        if word.hasSuffix("shes") { return String(word.dropLast(2)) }
        return word.hasSuffix("s") ? String(word.dropLast()) : word
    }

    /// Whether a count of a thing can have a unit: `steps` matches `{steps}`, and no other annotated unit.
    private static func counts(_ word: String, _ target: String) -> Bool {
        if target == "1" { return true }
        guard target.hasPrefix("{"), target.hasSuffix("}") else { return false }
        let own = singular(target.dropFirst().dropLast().lowercased())
        return generic.contains(word) || word == own || (otherThings[own] ?? []).contains(word)
    }

    private static let generic: Set<String> = ["count", "number", "total", "tot", "#", "event", "occurrence"]
    private static let things: Set<String> = [
        "step", "beat", "heartbeat", "breath", "respiration", "flight", "floor", "push", "wheelchair push", "stroke",
        "fall", "drink", "beverage", "puff", "revolution", "rev", "rotation", "cycle", "r", "disturbance", "score",
        "point", "effort", "index", "uv index", "uvindex", "nikefuel",
    ]
    /// Synonyms of the things that annotated units count.
    private static let otherThings: [String: Set<String>] = [
        "flight": ["floor"], "drink": ["beverage"], "push": ["wheelchair push"], "score": ["effort", "point"],
        "uvindex": ["index", "uv index"],
    ]

    // MARK: Words

    /// Spellings of one unit that are independent of the quantity.
    private static let words: [String: String] = {
        let spellings: [String: String] = [
            "kg": "kgs kilogram kilograms kilo kilos", "g": "gm gms gram grams", "mg": "mgs milligram milligrams",
            "ug": "mcg mcgs microgram micrograms", "[lb_av]": "lb lbs pound pounds", "[stone_av]": "stone stones",
            "m": "meter meters metre metres", "cm": "cms centimeter centimeters centimetre centimetres",
            "mm": "millimeter millimeters millimetre millimetres",
            "km": "kms kilometer kilometers kilometre kilometres",
            "[in_i]": "in inch inches", "[ft_i]": "ft foot feet", "[yd_i]": "yd yds yard yards",
            "[mi_i]": "mi mile miles", "L": "liter liters litre litres ltr",
            "mL": "mls milliliter milliliters millilitre millilitres cc", "dL": "deciliter decilitre",
            "s": "sec secs second seconds", "min": "mins minute minutes", "h": "hr hrs hour hours", "d": "day days",
            "ms": "msec msecs millisecond milliseconds",
            "Cel": "°c degc celsius centigrade", "[degF]": "°f degf fahrenheit", "mm[Hg]": "mmhg",
            "kPa": "kilopascal kilopascals", "cm[H2O]": "cmh2o", "kcal": "kcals kilocalorie kilocalories",
            "kJ": "kilojoule kilojoules", "J": "joule joules", "%": "percent pct", "dB[SPL]": "dbaspl",
            "/min": "bpm brpm rpm", "[mi_i]/h": "mph", "km/h": "kph kmh kmph", "m/s": "mps",
            "[iU]": "iu", "uS": "microsiemens", "S": "siemens", "W": "watt watts", "Hz": "hertz",
            "mmol": "millimole millimoles",
        ]
        var words = [
            "mm hg": "mm[Hg]", "cm h2o": "cm[H2O]", "deg c": "Cel", "deg f": "[degF]", "degrees celsius": "Cel",
            "degree celsius": "Cel", "degrees fahrenheit": "[degF]", "degree fahrenheit": "[degF]",
            "international unit": "[iU]", "international units": "[iU]",
        ]
        for (code, list) in spellings {
            for word in list.split(separator: " ") { words[String(word)] = code }
            // Lower-case spellings of the code itself, except for short codes, which mean other units.
            if code.count > 1, code.allSatisfy(\.isLetter) { words[code.lowercased()] = code }
        }
        return words
    }()

    /// Spellings that mean a unit only if the quantity is known.
    private static let inContext = [
        "c": "Cel", "f": "[degF]", "g": "g", "l": "L", "s": "s", "h": "h", "oz": "[oz_av]", "ounce": "[oz_av]",
        "ounces": "[oz_av]", "u": "[iU]", "unit": "[iU]", "units": "[iU]", "db": "dB[SPL]", "dba": "dB[SPL]",
        "db(a)": "dB[SPL]", "db(spl)": "dB[SPL]", "db spl": "dB[SPL]", "db(a) spl": "dB[SPL]",
    ]

    // MARK: UCUM's names

    /// Returns the UCUM unit with a name, in singular or plural.
    private static func named(_ text: String) -> String? {
        let name = text.lowercased()
        return names[name] ?? (name.hasSuffix("s") ? names[String(name.dropLast())] : nil)
    }

    /// UCUM's names. A name of several units has no entry, except minutes and seconds, which are those of time. The
    /// word calorie has no entry either, because it is also written for the kilocalorie.
    private static let names: [String: String] = {
        let named = UCUMAtom.all.flatMap { atom in Set(atom.names.map { $0.lowercased() }).map { ($0, atom.code) } }
        var names = Dictionary(grouping: named, by: \.0).compactMapValues { units in
            let codes = units.map(\.1).filter { units.count == 1 || !["'", "''"].contains($0) }
            return codes.count == 1 ? codes[0] : nil
        }
        for name in names.keys where name.contains("calorie") && !name.contains("nutrition") { names[name] = nil }
        return names
    }()
}
