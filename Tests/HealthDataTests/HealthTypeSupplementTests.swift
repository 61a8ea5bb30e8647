import FHIR
import HealthData
import TestSupport
import Testing

@Suite struct HealthTypeSupplementTests {
    private func applied(_ types: String) throws -> HealthTypeTable {
        try HealthTypeTable.standard.applying(supplement: JSON(parsing: "{\"types\":[\(types)]}"))
    }

    @Test func supplementReplacesMembersOfATypeAndKeepsTheOthers() throws {
        let table = try applied(
            """
            {"identifier":"HKQuantityTypeIdentifierBodyMass","title":"Weight",
             "codings":[{"system":"http://loinc.org","code":"3141-9","display":"Body weight Measured"}],
             "unit":{"healthKit":"lb","ucum":"[lb_av]","display":"lbs"},"plausible":{"low":10,"high":900}}
            """)
        let type = try #require(table.named("BodyMass"))
        let codings = type.codings.map { $0.code }
        #expect(codings == ["3141-9", "HKQuantityTypeIdentifierBodyMass"])
        #expect(type.codings.last?.display == "Weight")
        #expect(type.unit == HealthUnit("[lb_av]", "lbs"))
        #expect(type.measure?.plausible == 10...900)
        #expect(type.folder == "Body Measurements" && type.category == .vitalSigns)
        let measure = try #require(type.measure)
        #expect(try HealthQuantity("70", unit: "kg", as: measure).number.text == "154.323583529414307")
        let json = try #require(type.example())
        #expect(json.at("code", "text")?.string == "Weight")
        #expect(json.at("valueQuantity", "code")?.string == "[lb_av]")
        // The standard table is unchanged.
        #expect(HealthType.named("BodyMass")?.unit?.ucum == "kg")
        #expect(table.all.count == HealthType.all.count)
    }

    @Test func aCorrelationShowsItsMembersAsTheSupplementHasThem() throws {
        let table = try applied(
            """
            {"identifier":"HKQuantityTypeIdentifierBloodPressureSystolic","title":"Upper Pressure",
             "unit":{"healthKit":"kPa","ucum":"kPa"}}
            """)
        let upper = table.named("BloodPressure")?.components.first
        #expect(upper?.title == "Upper Pressure")
        #expect(upper?.unit == HealthUnit("kPa", "kPa"))
        #expect(upper?.measure.plausible == nil, "a range in mmHg means nothing in kPa")
    }

    @Test func supplementAddsQuantityCategoryAndEventTypes() throws {
        let table = try applied(
            """
            {"identifier":"HKQuantityTypeIdentifierGripStrength","kind":"quantity","title":"Grip Strength",
             "unit":{"healthKit":"kg","ucum":"kg"},"category":"exam","aggregation":"discrete"},
            {"identifier":"org.example.pain","kind":"category","title":"Pain","folder":"Pain Study",
             "codings":[{"system":"http://loinc.org","code":"72514-3","display":"Pain severity"}],
             "options":[{"code":"none","display":"None","aliases":["0"]},{"code":"some","display":"Some"}]},
            {"identifier":"HKCategoryTypeIdentifierNap","kind":"category","title":"Nap"}
            """)
        #expect(table.all.count == HealthType.all.count + 3)
        #expect(table.named("gripstrength")?.codings.map(\.code) == ["HKQuantityTypeIdentifierGripStrength"])
        #expect(table.named("GripStrength")?.folder == "Study")
        let pain = try #require(table.type("org.example.pain"))
        #expect(pain.option(named: "0")?.code == "none")
        #expect(pain.valueKind == .concept && pain.codings.count == 1)
        #expect(table.named("Nap")?.valueKind == .event)
        for name in ["GripStrength", "Pain", "Nap"] { #expect(table.named(name)?.example() != nil) }
    }

    @Test(arguments: [
        ("[]", "supplement-not-an-object", ""), ("{}", "supplement-member-missing", "types"),
        (#"{"types":{}}"#, "supplement-value-invalid", "types"),
        (#"{"typo":[]}"#, "supplement-member-unknown", "typo"),
        (#"{"types":[{}]}"#, "supplement-member-missing", "types[0]"),
        (#"{"types":[{"identifier":"a b"}]}"#, "supplement-value-invalid", "types[0].identifier"),
        (#"{"types":[{"identifier":"HKX"}]}"#, "supplement-member-missing", "types[0]"),
        (#"{"types":[{"identifier":"HKX","kind":"workout"}]}"#, "supplement-value-invalid", "types[0].kind"),
        (
            #"{"types":[{"identifier":"HKX","kind":"quantity","title":"X"}]}"#, "supplement-member-missing",
            "types[0]"
        ),
        (
            #"{"types":[{"identifier":"x","kind":"category","title":"X"}]}"#, "supplement-member-missing",
            "types[0]"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","unit":{"ucum":"cmm"}}]}"#,
            "supplement-unit-invalid", "types[0].unit.ucum"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","unit":{"healthKit":"elephants"}}]}"#,
            "supplement-unit-invalid", "types[0].unit.healthKit"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","unit":{"ucum":"m"}}]}"#,
            "supplement-unit-mismatch", "types[0].unit.ucum"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","unit":{"healthKit":"kg"}}]}"#,
            "supplement-unit-mismatch", "types[0].unit"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","plausible":{"low":3,"high":2}}]}"#,
            "supplement-value-invalid", "types[0].plausible"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","category":"vitals"}]}"#,
            "supplement-value-invalid", "types[0].category"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","options":[]}]}"#,
            "supplement-member-not-of-kind", "types[0].options"
        ),
        (
            #"{"types":[{"identifier":"HKWorkout","unit":{"ucum":"m"}}]}"#, "supplement-member-not-of-kind",
            "types[0].unit"
        ),
        (
            #"{"types":[{"identifier":"HKQuantityTypeIdentifierHeight","kind":"category"}]}"#,
            "supplement-member-not-of-kind", "types[0].kind"
        ),
        (
            #"{"types":[{"identifier":"HKWorkout"},{"identifier":"HKWorkout"}]}"#,
            "supplement-identifier-repeated", "types[1]"
        ),
        (
            #"{"types":[{"identifier":"HKWorkout","codings":[{"system":"x","code":"y"}]}]}"#,
            "supplement-member-missing", "types[0].codings[0]"
        ),
        (
            #"{"types":[{"identifier":"HKCategoryTypeIdentifierAcne","options":[{"code":"a","display":"A","aliases":["a"]}]}]}"#,
            "supplement-identifier-repeated", "types[0].options[0]"
        ),
    ])
    func errorsAreNamedWithTheirPath(text: String, code: String, path: String) throws {
        let json = try JSON(parsing: text)
        do {
            _ = try HealthTypeTable.standard.applying(supplement: json)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.code == code, "\(text): \(error)")
            #expect(error.path == path, "\(text): \(error)")
            #expect(path.isEmpty || error.message.hasPrefix(path + ": "))
        }
    }

    @Test func damagedSupplementsAreAcceptedOrRefusedWithAPath() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let whole = """
            {"types":[{"identifier":"HKQuantityTypeIdentifierHeight","kind":"quantity","title":"T","folder":"F",
            "category":"exam","aggregation":"discrete","codings":[{"system":"http://a.b","code":"c","display":"d"}],
            "unit":{"healthKit":"cm","ucum":"cm","display":"cm"},"plausible":{"low":-1e2,"high":3}},
            {"identifier":"x","kind":"category","title":"X","codings":[{"system":"urn:a","code":"c","display":"d"}],
            "options":[{"code":"a","display":"A","aliases":["1"]}]}]}
            """
        #expect(try HealthTypeTable.standard.applying(supplement: JSON(parsing: whole)).type("x") != nil)
        let pieces = ["null", "[]", "{}", "\"\"", "1e400", "-1", "true", "\"%\"", "\"\\u0000\"", "\"HKWorkout\""]
        for _ in 0..<300 {
            var text = Array(whole.utf8)
            let index = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: text[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: text.remove(at: index)
            default:
                let piece = pieces.randomElement(using: &random) ?? "null"
                // Replaces a value: from a colon to the next comma.
                guard let colon = text[index...].firstIndex(of: 0x3A),
                    let comma = text[colon...].firstIndex(where: { $0 == 0x2C || $0 == 0x7D })
                else { continue }
                text.replaceSubrange((colon + 1)..<comma, with: piece.utf8)
            }
            guard let json = try? JSON(text) else { continue }
            do {
                let table = try HealthTypeTable.standard.applying(supplement: json)
                #expect(table.all.count >= HealthType.all.count, "seed \(seed)")
                #expect(table.all.allSatisfy { !$0.codings.isEmpty && !$0.title.isEmpty }, "seed \(seed)")
            } catch {
                #expect(!error.message.isEmpty && error.code.hasPrefix("supplement-"), "seed \(seed)")
            }
        }
    }
}
