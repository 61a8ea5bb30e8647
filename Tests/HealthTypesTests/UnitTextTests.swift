import FHIR
import Testing

@testable import HealthTypes

/// Unit texts that people and apps write.
@Suite struct UnitTextTests {
    @Test(arguments: [
        ("steps", "{steps}", "{steps}"), ("count", "{steps}", "{steps}"), ("Steps", "{steps}", "{steps}"),
        ("floors", "{flights}", "{flights}"), ("beverages", "{drinks}", "{drinks}"),
        ("wheelchair pushes", "{pushes}", "{pushes}"), ("effort", "{score}", "{score}"),
        ("bpm", "/min", "/min"), ("BPM", "/min", "/min"), ("beats/minute", "/min", "/min"),
        ("beats per minute", "/min", "/min"), ("beats / min", "/min", "/min"), ("breaths/min", "/min", "/min"),
        ("count/min", "/min", "/min"), ("r/min", "/min", "/min"), ("/minute", "/min", "/min"),
        ("mmHg", "mm[Hg]", "mm[Hg]"), ("mm Hg", "mm[Hg]", "mm[Hg]"), ("MMHG", "mm[Hg]", "mm[Hg]"),
        ("kg", "kg", "kg"), ("KG", "kg", "kg"), ("kilograms", "kg", "kg"), ("lbs", "kg", "[lb_av]"),
        ("pounds", "kg", "[lb_av]"), ("stone", "kg", "[stone_av]"), ("oz", "kg", "[oz_av]"),
        ("cm", "cm", "cm"), ("inches", "cm", "[in_i]"), ("feet", "cm", "[ft_i]"), ("miles", "m", "[mi_i]"),
        ("mg/dL", "mg/dL", "mg/dL"), ("mg/dl", "mg/dL", "mg/dl"), ("MG/DL", "mg/dL", "mg/dL"),
        ("mg per dl", "mg/dL", "mg/dL"), ("°C", "Cel", "Cel"), ("C", "Cel", "Cel"), ("degF", "Cel", "[degF]"),
        ("Fahrenheit", "Cel", "[degF]"), ("°F", "Cel", "[degF]"), ("percent", "%", "%"), ("liters", "L", "L"),
        ("kcal", "kcal", "kcal"), ("Cal", "kcal", "kcal"), ("kilojoules", "kcal", "kJ"), ("hours", "min", "h"),
        ("hrs", "min", "h"), ("sec", "min", "s"), ("units", "[iU]", "[iU]"), ("IU", "[iU]", "[iU]"),
        ("dB(SPL)", "dB[SPL]", "dB[SPL]"), ("dBASPL", "dB[SPL]", "dB[SPL]"), ("kg/m^2", "kg/m2", "kg/m2"),
        ("kg/m²", "kg/m2", "kg/m2"), ("mph", "m/s", "[mi_i]/h"), ("km/h", "m/s", "km/h"),
        ("mL/(kg*min)", "mL/kg/min", "mL/(kg.min)"), ("µg", "ug", "ug"), ("mcg", "ug", "ug"), ("watts", "W", "W"),
    ])
    func aUsualTextIsTheUnitOfItsQuantity(text: String, target: String, code: String) {
        #expect(QuantityUnit(text: text).ucum(measuring: target) == code)
    }

    /// A text of another quantity, or with two meanings, is never read as the quantity's unit.
    @Test(arguments: [
        ("kg", "/min"), ("bpm", "kg"), ("steps", "{flights}"), ("steps", "%"), ("beats", "/min"), ("calories", "kcal"),
        ("Calories", "kcal"), ("ML", "L"), ("MG", "mg"), ("a lot", "kg"), ("", "kg"), ("mmol/L", "mg/dL"),
        ("pt", "L"), (String(repeating: "k", count: 200), "kg"),
    ])
    func otherTextIsNotAUnit(text: String, target: String) {
        #expect(QuantityUnit(text: text).ucum(measuring: target) == nil)
    }

    @Test(arguments: [
        ("steps", "{step}"), ("bpm", "/min"), ("lbs", "[lb_av]"), ("beats/minute", "/min"), ("breaths/min", "/min"),
        ("minute", "min"), ("count", "1"),
    ])
    func aTextIsReadWithoutAQuantity(text: String, code: String) {
        #expect(UnitText.ucum(text) == code)
    }

    @Test func unitIsTheValidUCUMCodeOrElseTheText() throws {
        func unit(_ json: JSON, _ target: String?) throws -> String? {
            QuantityUnit(try #require(Quantity(json: json))).ucum(measuring: target)
        }
        let ucum: JSON = "http://unitsofmeasure.org"
        #expect(try unit(["unit": "lbs", "system": ucum, "code": "kg"], "kg") == "kg")
        #expect(try unit(["unit": "mmHg", "system": ucum, "code": "mmHg"], "mm[Hg]") == "mm[Hg]")
        #expect(try unit(["unit": "dBASPL", "system": ucum, "code": "B(SPL)"], "dB[SPL]") == "dB[SPL]")
        #expect(try unit(["unit": "count", "system": ucum, "code": "{tot}"], "{steps}") == "{tot}")
        #expect(try unit(["unit": "lb", "system": "http://example.org", "code": "x"], "kg") == "[lb_av]")
        #expect(try unit(["unit": "kg"], nil) == "kg")
        #expect(try unit(["system": ucum, "code": "MG"], "mg") == "MG")
        #expect(try unit(["value": 1], "kg") == nil)
    }
}
