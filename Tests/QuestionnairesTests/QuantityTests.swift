import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Quantities in limits, conditions and options are compared after conversion.
@Suite struct QuantityTests {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private static func quantity(_ value: String, _ code: String) -> String {
        #"{"value": \#(value), "system": "http://unitsofmeasure.org", "code": "\#(code)"}"#
    }

    private static func unit(_ name: String, code: String, display: String) -> String {
        #"""
        {"url": "\#(core)questionnaire-\#(name)", "valueCoding": {"system": "http://unitsofmeasure.org", "code": "\#(code)",
         "display": "\#(display)"}}
        """#
    }

    private static func bound(_ name: String, _ value: String) -> String {
        #"{"url": "\#(name.hasSuffix("Quantity") ? sdc : core)\#(name)", \#(value)}"#
    }

    private static func question(_ extensions: String...) -> String {
        #"{"linkId": "q", "type": "quantity", "extension": [\#(extensions.joined(separator: ","))]}"#
    }

    private func problems(_ question: String, _ answer: String) throws -> [ResponseProblem] {
        ResponseValidator(try form(question)).problems(
            in: try response(#"{"linkId": "q", "answer": [{"valueQuantity": \#(answer)}]}"#))
    }

    @Test(arguments: [
        // Mass, temperature with its offset, pressure, concentration, time: at the limit, and beyond it.
        ("[lb_av]", "100", "kg", "45.359237", "45.3592370001"), ("Cel", "37", "[degF]", "98.6", "98.600000000001"),
        ("mm[Hg]", "120", "kPa", "15.99864", "15.99865"), ("mmol/L", "0.0055", "mol/m3", "0.0055", "0.0056"),
        ("h", "1.5", "min", "90", "90.1"), ("kg", "0.1", "g", "100", "100.00000000000000000000000000000000000000001"),
        ("%", "95", "1", "0.95", "0.951"),
    ])
    func limitIsExactInEveryUnit(unit: String, bound: String, other: String, inside: String, beyond: String)
        throws
    {
        let greatest = Self.question(Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity(bound, unit))"#))
        #expect(try problems(greatest, Self.quantity(inside, other)).errors == [])
        #expect(try problems(greatest, Self.quantity(beyond, other)).errors == ["max-value"])
        let least = Self.question(Self.bound("minQuantity", #""valueQuantity": \#(Self.quantity(bound, unit))"#))
        #expect(try problems(least, Self.quantity(inside, other)).errors == [])
        #expect(try problems(least, Self.quantity("-99999", other)).errors == ["min-value"])
    }

    @Test func inconvertibleUnitHasItsOwnErrorCode() throws {
        let question = Self.question(
            Self.bound("minQuantity", #""valueQuantity": \#(Self.quantity("30", "kg"))"#),
            Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity("300", "kg"))"#))
        for other in ["cm", "[iU]", "no-unit"] {
            #expect(try problems(question, Self.quantity("75", other)).errors == ["min-value-unit", "max-value-unit"])
        }
    }

    @Test func aUnitOfTheFormIsKnownByItsText() throws {
        let question = Self.question(
            Self.unit("unitOption", code: "kg", display: "kilos"),
            Self.unit("unitOption", code: "[lb_av]", display: "pounds"),
            Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity("300", "kg"))"#))
        #expect(try form(question).problems.isEmpty)
        #expect(try problems(question, #"{"value": 600, "unit": "pounds"}"#).errors == [])
        #expect(try problems(question, #"{"value": 700, "unit": "pounds"}"#).errors == ["max-value"])
        #expect(try problems(question, #"{"value": 75, "unit": "stones"}"#).errors.contains("unit"))
    }

    @Test func aBoundWithoutUnitIsInTheOnlyUnitOfTheForm() throws {
        for unit in ["unit", "unitOption"] {
            for value in [#""valueInteger": 300"#, #""valueDecimal": 300.0"#, #""valueQuantity": {"value": 300}"#] {
                let question = Self.question(Self.unit(unit, code: "kg", display: "kg"), Self.bound("maxValue", value))
                #expect(try form(question).problems.isEmpty)
                #expect(try problems(question, Self.quantity("400", "[lb_av]")).errors.filter { $0 != "unit" } == [])
                #expect(
                    try problems(question, Self.quantity("700", "[lb_av]")).errors.filter { $0 != "unit" }
                        == ["max-value"])
                #expect(try problems(question, Self.quantity("301", "kg")).errors == ["max-value"])
            }
        }
    }

    @Test(arguments: [
        [unit("unitOption", code: "kg", display: "kg"), unit("unitOption", code: "[lb_av]", display: "lb")],
        [
            unit("unit", code: "kg", display: "kg"), unit("unitOption", code: "kg", display: "kg"),
            unit("unitOption", code: "g", display: "g"),
        ], [],
        [unit("unitOption", code: "kg", display: "kg"), #"{"url": "\#(sdc)unitOpen", "valueCode": "optionsOrType"}"#],
    ])
    func ambiguousLimitWithoutUnitIsAnErrorOfTheForm(units: [String]) throws {
        let question =
            #"{"linkId": "q", "type": "quantity", "extension": ["#
            + (units + [Self.bound("maxValue", #""valueInteger": 30"#)]).joined(separator: ",") + "]}"
        let found = try form(question).problems
        #expect(found.map(\.code) == ["limit-without-unit"] && found[0].severity == .error)
        // No answer is refused because of it.
        let answered = try problems(question, Self.quantity("40", "kg"))
        #expect(answered.errors == [] && answered.warnings == ["max-value-unit"])
    }

    @Test func limitInAnIncomparableUnitIsAProblemOfTheForm() throws {
        let question = Self.question(
            Self.unit("unit", code: "kg", display: "kg"),
            Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity("2", "m"))"#))
        #expect(try form(question).problems.map(\.code) == ["limit-unit"])
        let contradiction = Self.question(
            Self.bound("minQuantity", #""valueQuantity": \#(Self.quantity("1", "kg"))"#),
            Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity("999", "g"))"#))
        #expect(try form(contradiction).problems.map(\.code) == ["limits-contradict"])
    }

    @Test func numberIsComparedInTheUnitOfItsQuestion() throws {
        let question =
            #"{"linkId": "q", "type": "decimal", "extension": [\#(Self.unit("unit", code: "[lb_av]", display: "lb")),"#
            + Self.bound("maxQuantity", #""valueQuantity": \#(Self.quantity("300", "kg"))"#) + "]}"
        for (value, expected) in [("661", [String]()), ("662", ["max-value"])] {
            let response = try response(#"{"linkId": "q", "answer": [{"valueDecimal": \#(value)}]}"#)
            #expect(ResponseValidator(try form(question)).problems(in: response).errors == expected)
        }
    }

    private static func asked(_ units: String, comparison: String, expected: String) -> String {
        #"""
        {"linkId": "q", "type": "quantity", "extension": [\#(units)]}, {"linkId": "more", "type": "string", "required": true,
         "enableWhen": [{"question": "q", "operator": "\#(comparison)", \#(expected)}]}
        """#
    }

    @Test(arguments: [
        (">", "221", true), (">", "220", false), (">=", "220.46226218487757", false), ("<", "220", true),
        ("<", "221", false), ("<=", "220", true), ("=", "220.5", false), ("!=", "220.5", true),
    ])
    func aConditionIsComparedAfterConversion(comparison: String, pounds: String, isAsked: Bool) throws {
        let question = Self.asked(
            Self.unit("unitOption", code: "kg", display: "kg") + ","
                + Self.unit("unitOption", code: "[lb_av]", display: "lb"), comparison: comparison,
            expected: #""answerQuantity": \#(Self.quantity("100", "kg"))"#)
        #expect(try form(question).problems.isEmpty)
        #expect(try problems(question, Self.quantity(pounds, "[lb_av]")).errors == (isAsked ? ["required"] : []))
    }

    @Test func equalQuantitiesAreEqualInEveryUnit() throws {
        for (comparison, expected) in [("=", ["required"]), ("!=", []), (">=", ["required"]), ("<", [])] {
            let question = Self.asked(
                Self.unit("unitOption", code: "kg", display: "kg") + ","
                    + Self.unit("unitOption", code: "g", display: "g"), comparison: comparison,
                expected: #""answerQuantity": \#(Self.quantity("0.1", "kg"))"#)
            #expect(try problems(question, Self.quantity("100.0", "g")).errors == expected)
        }
    }

    @Test func aConditionWithoutUnitIsInTheOnlyUnitOfItsQuestion() throws {
        let question = Self.asked(
            Self.unit("unitOption", code: "kg", display: "kg"), comparison: ">",
            expected: #""answerQuantity": {"value": 100}"#)
        #expect(try form(question).problems.isEmpty)
        #expect(try problems(question, Self.quantity("101", "kg")).errors == ["required"])
        #expect(try problems(question, Self.quantity("99", "kg")).errors == [])
        let several = Self.asked(
            Self.unit("unitOption", code: "kg", display: "kg") + "," + Self.unit("unitOption", code: "g", display: "g"),
            comparison: ">",
            expected: #""answerQuantity": {"value": 100}"#)
        #expect(try form(several).problems.map(\.code) == ["condition-without-unit"])
        let foreign = Self.asked(
            Self.unit("unitOption", code: "kg", display: "kg"), comparison: ">",
            expected: #""answerQuantity": \#(Self.quantity("100", "cm"))"#)
        #expect(try form(foreign).problems.map(\.code) == ["condition-unit"])
    }

    @Test func anOptionIsChosenInEveryUnit() throws {
        let question = #"""
            {"linkId": "q", "type": "quantity", "answerOption": [{"valueQuantity": \#(Self.quantity("0.5", "L"))},
             {"valueQuantity": \#(Self.quantity("1", "L"))}]}
            """#
        #expect(try problems(question, Self.quantity("500", "mL")).errors == [])
        #expect(try problems(question, Self.quantity("501", "mL")).errors == ["option"])
    }
}
