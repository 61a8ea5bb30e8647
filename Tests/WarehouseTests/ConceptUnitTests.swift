import FHIR
import Foundation
import HealthData
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

/// The numbers of a concept are in one unit, for any sent unit and any order.
@Suite struct ConceptUnitTests {
    private func measured(_ quantity: String, in unit: ConceptUnit) throws -> MeasuredValue {
        try #require(MeasuredValue(OpenChoice(type: "Quantity", json: try JSON(parsing: quantity)), in: unit))
    }

    private func weight(_ value: String, id: String) -> String {
        observation(#""valueQuantity":\#(value)"#, id: id, code: "29463-7")
    }

    @Test func poundsAndKilogramsCompare() async throws {
        try await WarehouseFixture.with { fixture in
            for (person, value) in [
                ("p1", #"{"value":70,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}"#),
                ("p2", #"{"value":150,"unit":"lb","system":"http://unitsofmeasure.org","code":"[lb_av]"}"#),
                ("p3", #"{"value":69000,"code":"g"}"#),
            ] {
                try await fixture.load(weight(value, id: "o-\(person)"), subject: person, submission: "s-\(person)")
            }
            #expect(try await fixture.count("\\Tributary\\Health\\", "GE 69") == 2)
            #expect(try await fixture.count("\\Tributary\\Health\\", "BETWEEN 68.03 68.04") == 1)
            #expect(
                try await fixture.rows("SELECT units_cd FROM observation_fact WHERE modifier_cd = '@'").allSatisfy {
                    try $0.text("units_cd") == "kg"
                })
            let originals = try await fixture.rows(
                """
                SELECT nval_num, tval_char, units_cd FROM observation_fact
                WHERE modifier_cd = 'TRIBUTARY:ORIGINAL' ORDER BY nval_num
                """)
            #expect(try originals.map { try $0.real("nval_num") } == [150, 69000])
            #expect(try originals.map { try $0.text("units_cd") } == ["[lb_av]", "g"])
            #expect(try originals.allSatisfy { try $0.text("tval_char") == "E" })
        }
    }

    @Test(arguments: [
        (#"{"value":98.6,"code":"[degF]"}"#, "Cel", 37.0, "E"), (#"{"value":310.15,"code":"K"}"#, "Cel", 37.0, "E"),
        (#"{"value":"150","code":"kg"}"#.replacing("\"150\"", with: "150"), "kg", 150.0, "E"),
        (#"{"value":150,"comparator":"<","code":"[lb_av]"}"#, "kg", 68.03886, "L"),
        (#"{"value":0.97,"code":"1"}"#, "%", 97.0, "E"), (#"{"value":72,"code":"{beats}/min"}"#, "/min", 72.0, "E"),
        (
            #"{"value":5,"unit":"lb","system":"http://developer.apple.com/documentation/healthkit","code":"lb"}"#, "kg",
            2.26796, "E"
        ),
    ])
    func aNumberIsConvertedToItsConceptsUnit(
        quantity: String, unit: String, number: Double, comparison: String
    ) throws {
        let found = try measured(quantity, in: .declared(unit))
        #expect(found.value == .numeric(number, operator: comparison, units: unit))
        #expect(found.warning == nil)
        #expect((found.original == nil) == (unit == "kg" && number == 150))
    }

    /// A greater pH is less acid.
    @Test func conversionToAnInverseScaleReversesTheComparator() throws {
        let found = try measured(#"{"value":7,"comparator":">","code":"[pH]"}"#, in: .declared("nmol/L"))
        #expect(found.value == .numeric(100, operator: "L", units: "nmol/L"))
    }

    @Test(arguments: [
        (#"{"value":5,"code":"cm"}"#, "5 cm", LoadWarning.unitNotConvertible),
        (#"{"value":5,"comparator":"<=","unit":"apples"}"#, "<=5 apples", .unitNotConvertible),
        (#"{"value":99999999999,"code":"t"}"#, "99999999999 t", .numberOutOfRange),
    ])
    func inconvertibleValueIsATextWithAWarning(quantity: String, text: String, warning: LoadWarning) async throws {
        let found = try measured(quantity, in: .declared("kg"))
        #expect(found == MeasuredValue(.text(text), warning: warning))
        try await WarehouseFixture.with { fixture in
            let report = try await fixture.load(weight(quantity, id: "o1"))
            #expect(report.warnings == [warning])
            let named = try await fixture.rows(
                "SELECT tval_char FROM observation_fact WHERE modifier_cd = 'TRIBUTARY:AS-TEXT'")
            #expect(try named.map { try $0.text("tval_char") } == [warning.rawValue])
            // Loading again counts the facts, not their additional rows.
            try await fixture.load(weight(quantity, id: "o1"))
            #expect(
                try await fixture.rows("SELECT loaded_record FROM upload_status")[0].integer("loaded_record") == 1)
        }
    }

    /// No table gives a unit for an unknown code: all quantities of its dimension are kept in one unit.
    @Test(arguments: [
        (#"{"value":70,"code":"kg"}"#, 70_000, "g"), (#"{"value":1,"code":"[lb_av]"}"#, 453.59237, "g"),
        (#"{"value":5.5,"code":"mmol/L"}"#, 5_500_000, "nmol/L"), (#"{"value":100,"code":"mg/dL"}"#, 1_000_000, "ug/L"),
        (#"{"value":45,"code":"U/L"}"#, 45, "U/L"), (#"{"value":98.6,"code":"[degF]"}"#, 37, "Cel"),
        (#"{"value":1.2,"code":"Hz"}"#, 72, "/min"), (#"{"value":7.4,"code":"[pH]"}"#, 7.4, "[pH]"),
        (#"{"value":4,"code":"10*3/uL"}"#, 4000, "/uL"), (#"{"value":48,"code":"mmol/mol"}"#, 0.048, "1"),
        (#"{"value":3,"code":"{score}"}"#, 3, "1"), (#"{"value":2,"code":"m[iU]/L"}"#, 2, "m-3.[iU]"),
    ])
    func aCodeWithoutAUnitHasTheConventionalOne(quantity: String, number: Double, unit: String) throws {
        #expect(try measured(quantity, in: .ofItsKind).value == .numeric(number, operator: "E", units: unit))
    }

    @Test func conventionalUnitOfAConventionalUnitIsItself() throws {
        for code in [
            "g", "cm", "s", "/min", "Cel", "mm[Hg]", "mL", "ug/L", "/uL", "kcal", "W", "umol", "nmol/L", "U/L",
        ] {
            #expect(UnitReading.read(code)?.conventional == code)
        }
    }

    @Test func aNumberWithoutAUnitIsInThatOfItsQuestion() throws {
        let form = try form(
            """
            {"resourceType":"Questionnaire","url":"http://example.org/f","item":[{"linkId":"w","type":"decimal",
             "extension":[{"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
             "valueCoding":{"system":"http://unitsofmeasure.org","code":"kg"}}]},
             {"linkId":"q","type":"quantity","extension":[
             {"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption","valueCoding":{"code":"[lb_av]"}},
             {"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption","valueCoding":{"code":"kg"}}]}]}
            """)
        let survey = SurveyConcepts(form)
        #expect(survey.questions["w"]?.concept.kind == .numeric(units: "kg"))
        #expect(survey.questions["q"]?.concept.kind == .numeric(units: "[lb_av]"), "of several the first")
        let facts = try mapped(
            response(
                """
                {"linkId":"w","answer":[{"valueDecimal":70}]},
                {"linkId":"q","answer":[{"valueQuantity":{"value":68.0388555,"code":"kg"}}]}
                """), questionnaire: form
        ).facts
        #expect(
            facts.map(\.value) == [
                .numeric(70, operator: "E", units: "kg"), .numeric(150, operator: "E", units: "[lb_av]"),
            ])
        #expect(facts[1].original == .numeric(68.03886, operator: "E", units: "kg"))
    }

    @Test func unknownCodeHasOneUnitForAnyOrderOfValues() async throws {
        let values = [
            #""valueString":"x""#, #""valueInteger":4"#, #""valueQuantity":{"value":1,"code":"mg/dL"}"#,
            #""valueQuantity":{"value":1,"code":"mmol/L"}"#,
        ]
        var found: Set<String> = []
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            try await WarehouseFixture.with { fixture in
                for index in order {
                    try await fixture.load(observation(values[index], id: "o\(index)", code: "99999-9"))
                }
                let rows = try await fixture.rows(
                    "SELECT c_fullname, c_comment, c_metadataxml FROM custom_meta WHERE c_basecode = 'LOINC:99999-9'")
                #expect(rows.count == 2, "among the others, and by its code")
                for row in rows {
                    found.insert(
                        "\(try row.text("c_comment")) \(MetadataXML.units(in: try row.text("c_metadataxml")) ?? "")")
                }
            }
        }
        #expect(found == ["numeric nmol/L"])
    }

    /// Types that share a code are counted together, so they have one unit.
    @Test func theUnitsOfTheTableAreUCUMAndOneForEachCode() {
        var units: [String: String] = [:]
        for concept in HealthConcept.all where concept.isNumeric {
            guard let code = concept.conceptCode, let unit = concept.ucum else { continue }
            #expect(UnitReading.read(unit)?.unit.code == unit, "\(concept.identifier)")
            #expect(units[code] == nil || units[code] == unit, "\(concept.identifier) \(code)")
            units[code] = unit
        }
    }
}
