import Core

extension HealthKitAtom {
    /// All units of HealthKit with HealthKit's sizes, which differ from UCUM's for mercury.
    ///
    /// <https://developer.apple.com/documentation/healthkit/hkunit>
    static let all: [HealthKitAtom] =
        metric + [
            atom("oz", quantity: .mass, size: "28.349523125", ucum: "[oz_av]"),
            atom("lb", quantity: .mass, size: "453.59237", ucum: "[lb_av]"),
            atom("st", quantity: .mass, size: "6350.29318", ucum: "[stone_av]"),
            atom("in", quantity: .length, size: "0.0254", ucum: "[in_i]"),
            atom("ft", quantity: .length, size: "0.3048", ucum: "[ft_i]"),
            atom("yd", quantity: .length, size: "0.9144", ucum: "[yd_i]"),
            atom("mi", quantity: .length, size: "1609.344", ucum: "[mi_i]"),
            volume("fl_oz_us", size: "2.95735295625e-5", ucum: "[foz_us]"),
            volume("fl_oz_imp", size: "2.84130625e-5", ucum: "[foz_br]"),
            volume("pt_us", size: "4.73176473e-4", ucum: "[pt_us]"),
            volume("pt_imp", size: "5.6826125e-4", ucum: "[pt_br]"),
            volume("cup_us", size: "2.365882365e-4", ucum: "[cup_us]"),
            // UCUM has no imperial cup.
            HealthKitAtom("cup_imp", quantity: .length, power: 3, size: number("2.84130625e-4"), ucum: .none),
            atom("mmHg", quantity: .pressure, size: "133.322387415", ucum: "mm[Hg]"),
            atom("cmAq", quantity: .pressure, size: "98.0665", ucum: "cm[H2O]"),
            atom("inHg", quantity: .pressure, size: "3386.38816", ucum: "[in_i'Hg]"),
            atom("atm", quantity: .pressure, size: "101325", ucum: "atm"),
            atom("min", quantity: .time, size: "60", ucum: "min"),
            atom("hr", quantity: .time, size: "3600", ucum: "h"),
            atom("d", quantity: .time, size: "86400", ucum: "d"),
            atom("cal", quantity: .energy, size: "4.184", ucum: "cal"),
            atom("kcal", quantity: .energy, size: "4184", ucum: "kcal"),
            atom("Cal", quantity: .energy, size: "4184", ucum: "kcal"),
            HealthKitAtom(
                "degC", quantity: .temperature, power: 1, size: .one, offset: number("273.15"),
                ucum: .special("Cel", inProducts: "K")),
            HealthKitAtom(
                "degF", quantity: .temperature, power: 1, size: number("5") / number("9"),
                offset: number("459.67") * number("5") / number("9"),
                ucum: .special("[degF]", inProducts: "[degR]")),
            HealthKitAtom("deg", quantity: .angle, power: 1, size: pi / number("180"), ucum: .unit("deg")),
            HealthKitAtom("count", quantity: .none, power: 0, size: .one, ucum: .number),
            HealthKitAtom("%", quantity: .none, power: 0, size: .one, ucum: .number),
            atom("IU", quantity: .internationalUnit, size: "1", ucum: "[iU]"),
            HealthKitAtom(
                "dBASPL", quantity: .soundPressureLevel, power: 1, size: .one,
                ucum: .special("dB[SPL]", inProducts: nil)),
            HealthKitAtom("dBHL", quantity: .hearingLevel, power: 1, size: .one, ucum: .none),
            atom("D", quantity: .lensPower, size: "1", ucum: "[diop]"),
            HealthKitAtom(
                "pD", quantity: .prismPower, power: 1, size: .one, ucum: .special("[p'diop]", inProducts: nil)),
            HealthKitAtom("appleEffortScore", quantity: .effort, power: 1, size: .one, ucum: .none),
        ]

    /// The units that can have prefixes.
    private static let metric: [HealthKitAtom] = [
        atom("g", quantity: .mass, size: "1", ucum: "g", takesPrefix: true),
        atom("m", quantity: .length, size: "1", ucum: "m", takesPrefix: true),
        volume("L", size: "0.001", ucum: "L", takesPrefix: true),
        atom("Pa", quantity: .pressure, size: "1", ucum: "Pa", takesPrefix: true),
        atom("s", quantity: .time, size: "1", ucum: "s", takesPrefix: true),
        atom("J", quantity: .energy, size: "1", ucum: "J", takesPrefix: true),
        atom("K", quantity: .temperature, size: "1", ucum: "K", takesPrefix: true),
        atom("S", quantity: .conductance, size: "1", ucum: "S", takesPrefix: true),
        atom("Hz", quantity: .frequency, size: "1", ucum: "Hz", takesPrefix: true),
        atom("V", quantity: .potential, size: "1", ucum: "V", takesPrefix: true),
        atom("W", quantity: .power, size: "1", ucum: "W", takesPrefix: true),
        atom("rad", quantity: .angle, size: "1", ucum: "rad", takesPrefix: true),
        atom("lx", quantity: .illuminance, size: "1", ucum: "lx", takesPrefix: true),
        atom("mol", quantity: .amount, size: "1", ucum: "mol", takesPrefix: true),
    ]

    /// The number of digits of π for which the parts of a conversion fit into a `Decimal`.
    private static let pi = number("3.14159265358979323846264338327950288")

    /// The index of each unit in ``all`` by its name. The litre has two names.
    static let indexBySymbol: [String: Int] = {
        var indexBySymbol = Dictionary(uniqueKeysWithValues: zip(all.map(\.symbol), all.indices))
        indexBySymbol["l"] = indexBySymbol["L"]
        return indexBySymbol
    }()

    private init(
        _ symbol: String, quantity: HealthKitDimension.Axis, power: Int16, size: ExactNumber,
        offset: ExactNumber = .zero, takesPrefix: Bool = false, ucum: UCUMForm
    ) {
        self.init(
            symbol: symbol, quantity: quantity, power: power, size: size, offset: offset, takesPrefix: takesPrefix,
            ucum: ucum)
    }

    private static func atom(
        _ symbol: String, quantity: HealthKitDimension.Axis, size: String, ucum: String, takesPrefix: Bool = false
    ) -> HealthKitAtom {
        HealthKitAtom(
            symbol, quantity: quantity, power: 1, size: number(size), takesPrefix: takesPrefix, ucum: .unit(ucum))
    }

    /// A volume in cubic metres.
    private static func volume(
        _ symbol: String, size: String, ucum: String, takesPrefix: Bool = false
    ) -> HealthKitAtom {
        HealthKitAtom(
            symbol, quantity: .length, power: 3, size: number(size), takesPrefix: takesPrefix, ucum: .unit(ucum))
    }

    /// Parses a number. An invalid text would become zero, which the test of the table detects.
    private static func number(_ text: String) -> ExactNumber { ExactNumber(decimal: text) ?? .zero }
}
