import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

/// Rebuilding the facts from the records, and comparing them with the records.
@Suite struct WarehouseReloadTests {
    private func concepts() throws -> StudyConcepts {
        let survey = SurveyConcepts(try form(sleepForm))
        return StudyConcepts(forms: [survey], health: .standard) {
            $0.hasPrefix("http://example.org/sleep") ? survey : nil
        }
    }

    private static let resources: [(String, String)] = [
        ("p1", #"{"resourceType":"Patient","id":"p1","gender":"female","birthDate":"1990"}"#),
        ("p1", observation(#""valueQuantity":{"value":150,"code":"[lb_av]"}"#, id: "w1", code: "29463-7")),
        (
            "p2",
            response(
                """
                {"linkId":"drugs","answer":[{"valueCoding":{"system":"http://example.org/own","code":"tea"}}]},
                {"linkId":"hours","answer":[{"valueDecimal":7}]}
                """, id: "r1")
        ),
        ("p2", observation(#""valueQuantity":{"value":5,"unit":"apples"}"#, id: "w2", code: "29463-7")),
        ("p1", observation(#""valueInteger":3"#, id: "x1", code: "99999-9")),
        ("p3", observation(#""valueInteger":3"#, id: "gone")),
    ]

    private func put(_ index: Int, in transaction: any SQLTransaction) throws -> (Resource, PutResult, LoadContext) {
        let (subject, json) = Self.resources[index]
        let resource = try Resource(Data(json.utf8))
        let received = instant("2026-05-01T12:00:00Z").addingTimeInterval(Double(index))
        let provenance = RecordProvenance(
            submissionID: "s\(index)", clientID: "c", keyID: nil, receivedAt: received)
        let record = NewRecord(
            resource, id: resource.id ?? "", subject: subject, content: resource.json.data(), original: nil)
        return (
            resource, try RecordStore().write(provenance, at: received, in: transaction) { try $0.put(record) },
            LoadContext(subject: subject, submissionID: "s\(index)", receivedAt: received, loadedAt: received)
        )
    }

    /// Records, with their facts loaded on arrival.
    private func filled() async throws -> WarehouseFixture {
        let fixture = try await WarehouseFixture()
        let (loader, concepts) = (fixture.loader, try concepts())
        try await fixture.database.write { transaction in
            try write(ontologyIn: transaction)
            for index in Self.resources.indices {
                let (resource, put, context) = try put(index, in: transaction)
                let entry = try concepts.entry(
                    of: resource.json.data(), id: resource.id ?? "", receivedAt: context.receivedAt)
                try loader.load(entry, put, context: context, in: transaction)
            }
        }
        return fixture
    }

    private func write(ontologyIn transaction: any SQLTransaction) throws {
        let at = instant("2026-01-01T00:00:00Z")
        try WarehouseLoader().ensureHealthOntology(HealthConcept.all, at: at, in: transaction)
        try WarehouseLoader().ensureOntology(form: SurveyConcepts(try form(sleepForm)), at: at, in: transaction)
    }

    private func reload(
        _ fixture: WarehouseFixture, slices: Int = .max, isFinished: Bool = true
    ) async throws -> WarehouseReload.Report {
        let concepts = try concepts()
        return try await fixture.database.write { transaction in
            var reload = WarehouseReload(concepts) { subject, _, _ in subject == "p3" }
            var report = WarehouseReload.Report()
            _ = try reload.begin(secret: Deidentification.newSecret(), in: transaction)
            try write(ontologyIn: transaction)
            var left = slices
            while left > 0 {
                let slice = try reload.slice(after: reload.lastNumber, of: 2, in: transaction)
                guard try reload.load(slice, into: &report, at: instant("2026-06-01"), in: transaction) else { break }
                left -= 1
            }
            guard isFinished else { return report }
            var last: Int64? = 0
            while let number = last {
                last = try reload.removeOrphans(after: number, limit: 2, into: &report, in: transaction)
            }
            try reload.finish(in: transaction)
            return report
        }
    }

    private func verify(_ fixture: WarehouseFixture) async throws -> WarehouseVerification.Report {
        let concepts = try concepts()
        return try await fixture.database.read { transaction in
            var verification = WarehouseVerification(concepts) { subject, _, _ in subject == "p3" }
            var report = WarehouseVerification.Report()
            while try verification.slice(of: 2, into: &report, in: transaction) {}
            var last: Int64? = 0
            while let number = last {
                last = try verification.orphans(after: number, limit: 2, into: &report, in: transaction)
            }
            return report
        }
    }

    /// Everything that researchers see, except the times of loading.
    private func rows(_ fixture: WarehouseFixture) async throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for (table, columns) in [
            (
                "observation_fact",
                "encounter_num, patient_num, concept_cd, start_date, modifier_cd, instance_num, valtype_cd, tval_char, nval_num, units_cd, end_date, upload_id"
            ), ("visit_dimension", "encounter_num, patient_num, location_cd, start_date, upload_id"),
            ("patient_dimension", "patient_num, birth_date, sex_cd, upload_id"),
            ("concept_dimension", "concept_path, concept_cd, name_char"),
            ("custom_meta", "c_fullname, c_basecode, c_visualattributes, c_dimcode, c_comment"),
            ("upload_status", "upload_id, loaded_record, load_status"),
        ] {
            rows[table] = try await fixture.lines(columns, "FROM \(table)").sorted()
        }
        return rows
    }

    @Test func reloadChangesNothingThatIsCorrect() async throws {
        let fixture = try await filled()
        let before = try await rows(fixture)
        let report = try await reload(fixture)
        #expect(report.resources == 5 && report.facts == 5 && report.removed == 0)
        #expect(report.warnings == ["unit-not-convertible": 1])
        let after = try await rows(fixture)
        for (table, lines) in before { #expect(after[table] == lines, "\(table)") }
        try await OntologyTests.check(fixture)
        try await fixture.close()
    }

    @Test func factsOfAnOlderVersionAreReplaced() async throws {
        let fixture = try await filled()
        let before = try await rows(fixture)
        #expect(try await verify(fixture) == .init(facts: 5, resources: 4))
        try await fixture.database.write { transaction in
            for sql in [
                "UPDATE observation_fact SET nval_num = 150, units_cd = '[lb_av]' WHERE nval_num = 68.03886",
                "DELETE FROM observation_fact WHERE modifier_cd = 'TRIBUTARY:AS-TEXT'",
                "DELETE FROM custom_meta WHERE c_fullname LIKE '%Other%'",
                "DELETE FROM concept_dimension WHERE concept_path LIKE '%Other%'",
                "UPDATE custom_meta SET c_basecode = 'LOINC:old' WHERE c_basecode = 'LOINC:93832-4'",
                "UPDATE visit_dimension SET location_cd = NULL WHERE patient_num < 3",
                "UPDATE patient_dimension SET birth_date = NULL",
                """
                INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date)
                SELECT encounter_num, patient_num, 'SURVEY:old', '@', start_date FROM observation_fact
                WHERE concept_cd = 'LOINC:93832-4' AND modifier_cd = '@'
                """,
            ] { try transaction.execute(sql) }
        }
        let found = try await verify(fixture)
        #expect(
            found.differences == [
                .init(resource: "Observation/w1", missing: 1, surplus: 1),
                .init(resource: "QuestionnaireResponse/r1", missing: 0, surplus: 1),
                .init(resource: "Observation/w2", missing: 1, surplus: 0),
            ])
        _ = try await reload(fixture)
        let after = try await rows(fixture)
        for (table, lines) in before where table != "upload_status" { #expect(after[table] == lines, "\(table)") }
        #expect(try await verify(fixture).differences.isEmpty)
        try await fixture.close()
    }

    @Test func interruptedRunContinues() async throws {
        let fixture = try await filled()
        let before = try await rows(fixture)
        let first = try await reload(fixture, slices: 1, isFinished: false)
        #expect(first.resources == 2)
        let second = try await reload(fixture)
        #expect(second.resources == 3)
        #expect(try await rows(fixture)["observation_fact"] == before["observation_fact"])
        #expect(try await reload(fixture).resources == 5, "what was finished begins anew")
        try await fixture.close()
    }

    @Test func changesAfterASliceAreLoadedInTheirNewState() async throws {
        let fixture = try await filled()
        let (concepts, loader) = (try concepts(), fixture.loader)
        let changed = try Resource(
            Data(
                observation(#""valueQuantity":{"value":75,"code":"kg"}"#, id: "w1", code: "29463-7").utf8))
        try await fixture.database.write { transaction in
            var reload = WarehouseReload(concepts) { subject, _, _ in subject == "p3" }
            var report = WarehouseReload.Report()
            _ = try reload.begin(secret: Deidentification.newSecret(), in: transaction)
            try write(ontologyIn: transaction)
            let slice = try reload.slice(after: reload.lastNumber, of: 100, in: transaction)
            let received = instant("2026-05-03T12:00:00Z")
            let record = NewRecord(changed, id: "w1", subject: "p1", content: changed.json.data(), original: nil)
            let provenance = RecordProvenance(submissionID: "s9", clientID: "c", keyID: nil, receivedAt: received)
            let put = try RecordStore().write(provenance, at: received, in: transaction) { try $0.put(record) }
            let context = LoadContext(subject: "p1", submissionID: "s9", receivedAt: received, loadedAt: received)
            let entry = try concepts.entry(of: changed.json.data(), id: "w1", receivedAt: received)
            try loader.load(entry, put, context: context, in: transaction)
            while try reload.load(slice, into: &report, at: received, in: transaction) {}
            try reload.finish(in: transaction)
            #expect(report.resources == 5)
        }
        #expect(try await verify(fixture).differences.isEmpty)
        #expect(try await fixture.lines("nval_num", "FROM observation_fact WHERE nval_num = 75").count == 1)
        try await fixture.close()
    }

    @Test func undoneFactsAreRestoredAndFactsWithoutRecordsRemoved() async throws {
        let fixture = try await filled()
        let before = try await rows(fixture)
        try await fixture.load(observation(#""valueInteger":9"#, id: "stray"), subject: "p1", submission: "stray")
        try await fixture.database.write {
            _ = try WarehouseLoader().undo(upload: "s1", at: instant("2026-05-02"), in: $0)
            try $0.execute("UPDATE record SET deleted = 1 WHERE id = 'stray'")
        }
        #expect(
            try await verify(fixture).differences.map(\.resource)
                == ["Observation/w1", "TRIBUTARY:SOURCE-APP/2026-03-01"])
        #expect(try await reload(fixture).removed == 1)
        #expect(try await verify(fixture).differences.isEmpty)
        #expect(try await rows(fixture)["observation_fact"]?.count == before["observation_fact"]?.count)
        try await fixture.close()
    }

    @Test func reloadKeepsUnchangedRows() async throws {
        let fixture = try await filled()
        _ = try await reload(fixture)
        let long = SQLValue("1999-01-01 00:00:00")
        let before = try await fixture.database.write { transaction in
            try transaction.execute("UPDATE observation_fact SET import_date = ?", [long])
            return try transaction.first("SELECT count(*) AS rows FROM observation_fact")?.integer("rows")
        }
        let report = try await reload(fixture)
        let after = try await fixture.database.read {
            try $0.first("SELECT count(*) AS rows FROM observation_fact WHERE import_date = ?", [long])?.integer("rows")
        }
        #expect(before == after && report.facts > 0)
        #expect(try await verify(fixture).differences.isEmpty)
        try await fixture.close()
    }

    @Test(arguments: [
        "UPDATE observation_fact SET tval_char = 'x'",
        "UPDATE observation_fact SET location_cd = 'elsewhere' WHERE modifier_cd = '@'",
        "UPDATE observation_fact SET location_cd = NULL WHERE concept_cd = (SELECT min(concept_cd) FROM observation_fact)",
        "UPDATE observation_fact SET nval_num = nval_num + 1 WHERE nval_num > 3",
        "UPDATE observation_fact SET end_date = '2020-01-01 00:00:00'",
        "DELETE FROM observation_fact WHERE modifier_cd <> '@'",
        "DELETE FROM observation_fact WHERE concept_cd = (SELECT max(concept_cd) FROM observation_fact)",
        "UPDATE observation_fact SET concept_cd = 'X:1' WHERE concept_cd = (SELECT max(concept_cd) FROM observation_fact)",
    ])
    func changedRowsAreRestored(_ change: String) async throws {
        let fixture = try await filled()
        _ = try await reload(fixture)
        let before = try await rows(fixture)
        try await fixture.database.write { transaction in
            // Nothing of a deleted participant is loaded.
            let others = "patient_num <> (SELECT w.patient_num FROM warehouse_patient w WHERE w.participant = 'p3')"
            try transaction.execute(change + (change.contains(" WHERE ") ? " AND " : " WHERE ") + others)
        }
        _ = try await reload(fixture)
        // A row that was removed by hand counts as loaded.
        let after = try await rows(fixture)
        for (table, lines) in before where table != "upload_status" { #expect(after[table] == lines, "\(table)") }
        #expect(try await verify(fixture).differences.isEmpty)
        try await fixture.close()
    }

    @Test func queriesUseIndexes() async throws {
        try await WarehouseFixture.with { fixture in
            let some = InNumbers(numbers: [1, 2, 3])
            let adjacent = LoadedRecord.conditions(of: [1, 2, 3])[0]
            let apart = LoadedRecord.conditions(of: [1, 200, 3000])[0]
            let plans = try await fixture.database.read { transaction in
                [
                    try QueryPlan(
                        LoadedEncounter.pageSQL(transaction.dialect), [0, "TRIBUTARY", 10], in: transaction),
                    try QueryPlan(LoadedEncounter.recordsSQL(some), some.parameters, in: transaction),
                    try QueryPlan(LoadedEncounter.factsSQL(some), some.parameters, in: transaction),
                    try QueryPlan(OntologyTotals.codesSQL, [1], in: transaction),
                    try QueryPlan(WarehouseVerification.loadedSQL, ["p", "TRIBUTARY", 1], in: transaction),
                    try QueryPlan(Numbering.patientSQL, ["TRIBUTARY", "p"], in: transaction),
                    try QueryPlan(
                        PathSelection.rowSQL, [SQLValue(ConceptPath.root)], in: transaction),
                    try QueryPlan(LoadedRecord.someSQL(adjacent), adjacent.parameters, in: transaction),
                    try QueryPlan(LoadedRecord.someSQL(apart), apart.parameters, in: transaction),
                    try QueryPlan(
                        Numbering.encountersSQL,
                        Array(repeating: "e", count: Numbering.askedTogether) + ["TRIBUTARY", "p", "TRIBUTARY"],
                        in: transaction),
                    try QueryPlan(
                        OntologyWriter.knownSQL,
                        Array(repeating: SQLValue(ConceptPath.root), count: OntologyWriter.askedTogether),
                        in: transaction),
                ]
            }
            for plan in plans { #expect(!plan.readsAll, "\(plan)") }
            for number in 1...3 {
                try await fixture.load(
                    observation(#""valueInteger":9"#, id: "o\(number)"), subject: "p1", submission: "s")
            }
            let removals = try await fixture.database.read { transaction in
                let loaded = try LoadedRecord.of([1, 2, 3], in: transaction).values.compactMap { $0 }
                #expect(loaded.count == 3)
                let context = LoadContext(
                    subject: "p1", submissionID: "s", receivedAt: Date(timeIntervalSince1970: 0),
                    loadedAt: Date(timeIntervalSince1970: 0))
                let trail = UploadTrail(context: context, patient: 1, upload: 1)
                return try LoadedRecord.removals(of: loaded).map {
                    try QueryPlan($0.sql, $0.parameters, in: transaction)
                }
                    + ([[1, 2, 3], [1, 200, 3000]] as [[Int64]]).flatMap {
                        StoredFacts.queries(of: $0, trail, transaction.dialect)
                    }.map {
                        try QueryPlan($0.sql, $0.parameters, in: transaction)
                    }
            }
            #expect(removals.count == 3)
            for plan in removals { #expect(plan.uses(index: "of_idx_instance") && !plan.readsAll, "\(plan)") }
            // Never by the participant, who may have millions of facts.
            for (condition, parameters) in [
                (LoadedRecord.allOfEncounter, [1]),
                (
                    LoadedRecord.someOfEncounter,
                    [1, 2, 3, "2026-01-01 00:00:00", "2026-01-01 00:00:00"]
                ),
            ] as [(String, [SQLValue])] {
                for sql in ["SELECT count(*) AS facts", "DELETE"] {
                    let plan = try await fixture.database.read {
                        try QueryPlan("\(sql) FROM observation_fact WHERE \(condition)", parameters, in: $0)
                    }
                    #expect(plan.uses(index: "of_idx_instance") && !plan.readsAll, "\(plan)")
                }
            }
        }
    }
}

extension WarehouseVerification.Report {
    fileprivate init(facts: Int, resources: Int) {
        self.init()
        (self.facts, self.resources) = (facts, resources)
    }
}
