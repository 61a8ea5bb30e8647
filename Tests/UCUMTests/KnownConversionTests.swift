import Foundation
import Testing
import UCUM

/// Publicly known conversions, from the definitions of the units and not from this library's table.
@Suite struct KnownConversionTests {
    @Test(arguments: conversions)
    func aKnownConversionIsExact(_ conversion: Conversion) throws {
        let result = try UCUMUnit(conversion.from).convert(conversion.value, to: UCUMUnit(conversion.to))
        #expect(result == conversion.expected, "\(conversion)")
    }

    @Test(arguments: conversions)
    func inverseConversionIsExact(_ conversion: Conversion) throws {
        let result = try UCUMUnit(conversion.to).convert(conversion.expected, to: UCUMUnit(conversion.from))
        // A value that was rounded to 38 digits is equal within the last of them.
        let difference = abs(result - conversion.value)
        #expect(difference <= abs(conversion.value) * Decimal(sign: .plus, exponent: -36, significand: 1), "\(result)")
    }

    struct Conversion: CustomStringConvertible, Sendable {
        let value: Decimal
        let from: String
        let expected: Decimal
        let to: String

        var description: String { "\(value) \(from) = \(expected) \(to)" }
    }

    /// `value unit = value unit`, one a line.
    static let conversions: [Conversion] = """
        1 [lb_av] = 0.45359237 kg
        1 [oz_av] = 28.349523125 g
        1 [stone_av] = 6.35029318 kg
        1 [ston_av] = 907.18474 kg
        1 [lton_av] = 1016.0469088 kg
        1 [gr] = 64.79891 mg
        1 [oz_tr] = 31.1034768 g
        1 [lb_tr] = 373.2417216 g
        1 [dr_ap] = 3.8879346 g
        1 [car_m] = 200 mg
        1 t = 1000 kg
        1 [in_i] = 2.54 cm
        1 [ft_i] = 30.48 cm
        1 [yd_i] = 0.9144 m
        1 [mi_i] = 1609.344 m
        1 [nmi_i] = 1852 m
        1 [fth_i] = 1.8288 m
        1 [hd_i] = 10.16 cm
        1 [mil_i] = 25.4 um
        3937 [ft_us] = 1200 m
        1 [pied] = 32.48 cm
        1 AU = 149597870691 m
        1 [c] = 299792458 m/s
        1 [ly] = 9460730472580800 m
        1 Ao = 100 pm
        1 [smoot] = 1.7018 m
        1 [kn_i] = 1.852 km/h
        60 [mi_i]/h = 26.8224 m/s
        1 [acr_us] = 43560 [ft_us]2
        1 ar = 100 m2
        1 b = 100 fm2
        1 L = 1000 cm3
        1 mL = 1 cm3
        1 dm3 = 1 l
        1 [gal_us] = 3.785411784 L
        1 [qt_us] = 946.352946 mL
        1 [pt_us] = 473.176473 mL
        1 [foz_us] = 29.5735295625 mL
        1 [cup_us] = 236.5882365 mL
        1 [tbs_us] = 14.78676478125 mL
        1 [tsp_us] = 4.92892159375 mL
        1 [foz_m] = 30 mL
        1 [gal_br] = 4.54609 L
        1 [pt_br] = 568.26125 mL
        1 [foz_br] = 28.4130625 mL
        1 [bbl_us] = 158.987294928 L
        20 [drp] = 1 mL
        1 min = 60 s
        1 h = 3600 s
        1 d = 86400 s
        1 wk = 168 h
        1 a = 365.25 d
        1 a_g = 365.2425 d
        1 mo = 30.4375 d
        1 atm = 101325 Pa
        1 bar = 100000 Pa
        760 mm[Hg] = 101324.72 Pa
        1 mm[Hg] = 133.322 Pa
        1 cm[H2O] = 98.0665 Pa
        1 att = 98066.5 Pa
        1 [in_i'Hg] = 3386.3788 Pa
        1 [in_i'H2O] = 249.08891 Pa
        1 cal = 4.184 J
        1 kcal = 4184 J
        1 [Cal] = 1 kcal
        1 cal_IT = 4.1868 J
        1 [Btu_IT] = 1.05505585262 kJ
        1 kW.h = 3.6 MJ
        1 erg = 0.0000001 J
        1 dyn = 0.00001 N
        1 gf = 9.80665 mN
        1 [lbf_av] = 4.4482216152605 N
        1 P = 0.1 Pa.s
        1 St = 0.0001 m2/s
        1 G = 0.0001 T
        1 Ci = 37000000000 Bq
        1 RAD = 0.01 Gy
        1 REM = 0.01 Sv
        1 R = 0.000258 C/kg
        1 % = 0.01 1
        1 [ppm] = 1 mg/kg
        1 g% = 10 g/L
        1 mol = 602213670000000000000000 1
        1 mmol/L = 1 mol/m3
        1 mg/dL = 10 mg/L
        1 ug/mL = 1 mg/L
        1 10*3/uL = 1 10*9/L
        1 10*6/uL = 1 10*12/L
        1 meq/L = 1 mmol/L
        1 kat = 60000000 U
        1 U/L = 1 umol/(min.L)
        120 {beats}/min = 2 Hz
        1 [MET] = 3.5 mL/(kg.min)
        1 [diop] = 1 m-1
        1 By = 8 bit
        1 KiBy = 1024 By
        1 GiBy = 1073741824 By
        1 tex = 1 mg/m
        360 deg = 1 circ
        400 gon = 1 circ
        1 deg = 60 '
        1 ' = 60 ''
        1 m[iU]/mL = 1 [IU]/L
        2 km/h2 = 2000 m/h/h
        1 (m/s)/(m/s) = 1 1
        1 1/(8.h) = 3 /d
        6.3 s.mm-1 = 6300 s.m-1
        6.3 s.mm-2 = 6300000 s.m-2
        6.3 s/m/mg = 6300 s.m-1.g-1
        6.3 s/m.mg = 0.0063 s.m-1.g
        6.3 4.s/m = 25.2 s/m
        6.3 s/4/m = 1.575 s/m
        6.3 g.m.s-2.A-2 = 6.3 g.m.C-2
        1 S = 0.001 g-1.m-2.C2.s
        1 m[Hg] = 133322000 g.s-2.m-1
        1 Wb = 100000000 Mx
        1 Oe.cm = 1 Gb
        """
        .split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            return Conversion(
                value: Decimal(string: String(parts[0])) ?? .nan, from: String(parts[1]),
                expected: Decimal(string: String(parts[3])) ?? .nan, to: String(parts[4]))
        }

    @Test(arguments: [
        ("[pi]", "1", "3.1415926535897932384626433832795028842"),
        ("deg", "rad", "0.017453292519943295769236907684886127134"),
        ("[mu_0]", "g.m.C-2", "0.0012566370614359172953850573533118011537"),
        ("[ft_us]", "m", "0.30480060960121920243840487680975361951"),
        ("/[ly]", "cm-1", "0.0000000000000000010570008340246154637094605244851272334"),
        ("[psi]", "kPa", "6.8947572931683613367226734453468906938"),
        ("[HP]", "W", "745.69987158227022"),
        ("[g]", "m/s2", "9.80665"),
        ("u", "g", "0.0000000000000000000000016605402"),
        ("eV", "J", "0.000000000000000000160217733"),
    ])
    func aResultThatDoesNotEndIsRoundedTo38Digits(from: String, to: String, expected: String) throws {
        let result = try UCUMUnit(from).convert(1, to: UCUMUnit(to))
        #expect(result == Decimal(string: expected), "\(result)")
    }
}
