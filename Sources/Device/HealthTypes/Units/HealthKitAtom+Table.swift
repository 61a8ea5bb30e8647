import Core

extension HealthKitAtom {
    /// All units of HealthKit with HealthKit's sizes, which differ from UCUM's for mercury.
    ///
    /// <https://developer.apple.com/documentation/healthkit/hkunit>
    static let all: [HealthKitAtom] =
        metric + [
            atom("oz", .mass, "28.349523125", "[oz_av]"),
            atom("lb", .mass, "453.59237", "[lb_av]"),
            atom("st", .mass, "6350.29318", "[stone_av]"),
            atom("in", .length, "0.0254", "[in_i]"),
            atom("ft", .length, "0.3048", "[ft_i]"),
            atom("yd", .length, "0.9144", "[yd_i]"),
            atom("mi", .length, "1609.344", "[mi_i]"),
            volume("fl_oz_us", "2.95735295625e-5", "[foz_us]"),
            volume("fl_oz_imp", "2.84130625e-5", "[foz_br]"),
            volume("pt_us", "4.73176473e-4", "[pt_us]"),
            volume("pt_imp", "5.6826125e-4", "[pt_br]"),
            volume("cup_us", "2.365882365e-4", "[cup_us]"),
            // UCUM has no imperial cup.
            HealthKitAtom("cup_imp", .length, 3, number("2.84130625e-4"), .none),
            atom("mmHg", .pressure, "133.322387415", "mm[Hg]"),
            atom("cmAq", .pressure, "98.0665", "cm[H2O]"),
            atom("inHg", .pressure, "3386.38816", "[in_i'Hg]"),
            atom("atm", .pressure, "101325", "atm"),
            atom("min", .time, "60", "min"),
            atom("hr", .time, "3600", "h"),
            atom("d", .time, "86400", "d"),
            atom("cal", .energy, "4.184", "cal"),
            atom("kcal", .energy, "4184", "kcal"),
            atom("Cal", .energy, "4184", "kcal"),
            HealthKitAtom("degC", .temperature, 1, .one, offset: number("273.15"), .special("Cel", inProducts: "K")),
            HealthKitAtom(
                "degF", .temperature, 1, number("5") / number("9"),
                offset: number("459.67") * number("5") / number("9"),
                .special("[degF]", inProducts: "[degR]")),
            HealthKitAtom("deg", .angle, 1, pi / number("180"), .unit("deg")),
            HealthKitAtom("count", .none, 0, .one, .number),
            HealthKitAtom("%", .none, 0, .one, .number),
            atom("IU", .internationalUnit, "1", "[iU]"),
            HealthKitAtom("dBASPL", .soundPressureLevel, 1, .one, .special("dB[SPL]", inProducts: nil)),
            HealthKitAtom("dBHL", .hearingLevel, 1, .one, .none),
            atom("D", .lensPower, "1", "[diop]"),
            HealthKitAtom("pD", .prismPower, 1, .one, .special("[p'diop]", inProducts: nil)),
            HealthKitAtom("appleEffortScore", .effort, 1, .one, .none),
        ]

    /// The units that can have prefixes.
    private static let metric: [HealthKitAtom] = [
        atom("g", .mass, "1", "g", takesPrefix: true),
        atom("m", .length, "1", "m", takesPrefix: true),
        volume("L", "0.001", "L", takesPrefix: true),
        atom("Pa", .pressure, "1", "Pa", takesPrefix: true),
        atom("s", .time, "1", "s", takesPrefix: true),
        atom("J", .energy, "1", "J", takesPrefix: true),
        atom("K", .temperature, "1", "K", takesPrefix: true),
        atom("S", .conductance, "1", "S", takesPrefix: true),
        atom("Hz", .frequency, "1", "Hz", takesPrefix: true),
        atom("V", .potential, "1", "V", takesPrefix: true),
        atom("W", .power, "1", "W", takesPrefix: true),
        atom("rad", .angle, "1", "rad", takesPrefix: true),
        atom("lx", .illuminance, "1", "lx", takesPrefix: true),
        atom("mol", .amount, "1", "mol", takesPrefix: true),
    ]

    /// The number of digits of π for which the parts of a conversion fit into a `Decimal`.
    private static let pi = number("3.14159265358979323846264338327950288")

    /// The index of each unit in ``all`` by its name. The litre has two names.
    static let places: [String: Int] = {
        var places = Dictionary(uniqueKeysWithValues: zip(all.map(\.symbol), all.indices))
        places["l"] = places["L"]
        return places
    }()

    private init(
        _ symbol: String, _ quantity: HealthKitDimension.Axis, _ power: Int16, _ size: ExactNumber,
        offset: ExactNumber = .zero, takesPrefix: Bool = false, _ ucum: UCUMForm
    ) {
        self.init(
            symbol: symbol, quantity: quantity, power: power, size: size, offset: offset, takesPrefix: takesPrefix,
            ucum: ucum)
    }

    private static func atom(
        _ symbol: String, _ quantity: HealthKitDimension.Axis, _ size: String, _ ucum: String, takesPrefix: Bool = false
    ) -> HealthKitAtom {
        HealthKitAtom(symbol, quantity, 1, number(size), takesPrefix: takesPrefix, .unit(ucum))
    }

    /// A volume in cubic metres.
    private static func volume(
        _ symbol: String, _ size: String, _ ucum: String, takesPrefix: Bool = false
    ) -> HealthKitAtom {
        HealthKitAtom(symbol, .length, 3, number(size), takesPrefix: takesPrefix, .unit(ucum))
    }

    /// Parses a number. An invalid text would become zero, which the test of the table detects.
    private static func number(_ text: String) -> ExactNumber { ExactNumber(decimal: text) ?? .zero }
}
