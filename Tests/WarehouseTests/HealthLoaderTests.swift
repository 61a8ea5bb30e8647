import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import HealthData
@testable import Warehouse

/// Compares bulk loading with loading the same observations one by one as JSON.
@Suite struct HealthLoaderTests {
    private static let received = instant("2026-05-01T12:00:00Z")
    private static let provenance = RecordProvenance(
        submissionID: "load-1", clientID: "health-load", keyID: nil, receivedAt: received)

    /// A sample of every type, and several of each quantity with other numbers and times.
    private func observations(_ seed: UInt64 = .random(in: 0 ... .max)) throws -> [HealthObservation] {
        var generator = Seeded(seed)
        var samples: [HealthSample] = []
        for type in HealthType.all {
            guard let example = type.exampleSample else { continue }
            samples.append(example)
            for round in 1...3 {
                var sample = example
                sample.start.seconds += Int64(round) * 3600 + Int64.random(in: 0...1000, using: &generator)
                sample.start.offsetMinutes = Int16.random(in: -900...900, using: &generator)
                sample.end = sample.start
                if round > 1 { sample.end.seconds += Int64.random(in: 1...5000, using: &generator) }
                if case .quantity = example.value, let measure = type.measure {
                    let text = Self.numbers.randomElement(using: &generator) ?? "1"
                    if let quantity = try? HealthQuantity(text, unit: measure.healthKitUnit.text, as: measure) {
                        sample.value = .quantity(quantity)
                    }
                }
                if round == 3 { sample.uuid = UUID(uuid: Self.bytes(&generator)) }
                if Bool.random(using: &generator) { sample.context.wasUserEntered = true }
                for key in [
                    "HKHeartRateEventThreshold", "HKMetadataKeyHeartRateMotionContext", "HKMenstrualCycleStart",
                ]
                where Bool.random(using: &generator) {
                    sample.context.add(key: key, value: key.hasSuffix("Threshold") ? "100 count/min" : "1")
                }
                samples.append(sample)
            }
        }
        return samples.map { HealthObservation($0, fingerprint: $0.fingerprint, subject: "p1") }
    }

    private static let numbers = [
        "0", "72", "-0", "0.5", "98.60", "1234567.12345", "0.000001", "3.1415926535", "99999999999999", "1e3", "12.5",
        "0.123455", "0.123465", "999999999999.99999", "9999999999999.999995",
    ]

    private static func bytes(_ generator: inout Seeded) -> uuid_t {
        func byte() -> UInt8 { UInt8.random(in: .min ... .max, using: &generator) }
        return (
            byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(),
            byte(), byte(), byte()
        )
    }

    @Test func factsOfASampleEqualThoseOfItsJSON() throws {
        let seed = Seeded.newSeed()
        var maker = HealthBatchMaker(receivedAt: Self.received)
        let all = try observations(seed)
        #expect(all.count > 600)
        for observation in all {
            maker.add(observation)
            let entry = try #require(maker.take().entries.first)
            let made = try #require(entry.loaded)
            let resource = try Resource(entry.record.content)
            let wanted = try #require(FactMapping.facts(of: resource, survey: nil, receivedAt: Self.received))
            let comment = Comment(
                "seed \(seed), \(observation.type.identifier), \(String(decoding: entry.record.content, as: UTF8.self))"
            )
            let facts = try #require(made.facts)
            #expect(facts.facts == wanted.facts, comment)
            #expect(made.concepts == wanted.concepts, comment)
            #expect(made.warnings == wanted.warnings, comment)
            let prepared = PreparedFacts(
                type: "Observation", id: observation.id, facts: wanted.facts, time: wanted.time, source: wanted.source,
                isOfDay: true)
            #expect(facts.encounter == prepared.encounter && facts.firstInstance == prepared.firstInstance, comment)
            #expect(facts.start == prepared.start && facts.end == prepared.end, comment)
            #expect(facts.timeText == prepared.timeText && facts.timeSource == prepared.timeSource, comment)
            #expect(facts.visitStatus == prepared.visitStatus && facts.source == prepared.source, comment)
            let record = NewRecord(resource, id: observation.id, content: entry.record.content)
            #expect(entry.record.subject == record.subject && entry.record.rowCount == record.rowCount, comment)
        }
    }

    @Test func bulkLoadWritesTheRowsOfSingleLoads() async throws {
        let seed = Seeded.newSeed()
        // A third of them, with every type. Another test compares the facts of all without a database.
        let all = try observations(seed).enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        let loaded = instant("2026-05-01T12:00:05Z")
        let bulk = try await LoaderFixture.dump { database in
            var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
            for start in stride(from: 0, to: all.count, by: 100) {
                let batch = Self.batch(all[start..<min(start + 100, all.count)])
                let before = loader
                loader = try await database.write { transaction in
                    var loader = before
                    _ = try loader.store(batch, at: loaded, in: transaction)
                    return loader
                }
            }
        }
        let single = try await LoaderFixture.dump { database in
            try await database.write { transaction in
                for observation in all {
                    var content: [UInt8] = []
                    observation.write(to: &content)
                    let resource = try Resource(Data(content))
                    let put = try RecordStore().put(
                        resource, content: Data(content), original: nil, id: observation.id,
                        provenance: Self.provenance, at: loaded, in: transaction)
                    let context = LoadContext(
                        subject: "p1", submissionID: Self.provenance.submissionID, receivedAt: Self.received,
                        loadedAt: loaded)
                    try WarehouseLoader().load(resource, put, context: context, in: transaction)
                }
            }
        }
        #expect(bulk.values.map(\.count).reduce(0, +) > 3_000)
        #expect(Set(bulk.keys) == Set(single.keys))
        // The counter of changes counts the writes of a batch once. Only Observations changed.
        #expect(bulk["record_type_change"]?.count == 1 && single["record_type_change"]?.count == 1)
        for (table, rows) in single where table != "record_type_change" {
            let added = Set(bulk[table] ?? []).subtracting(rows).sorted().prefix(2)
            let missing = Set(rows).subtracting(bulk[table] ?? []).sorted().prefix(2)
            #expect(added.isEmpty && missing.isEmpty && bulk[table]?.count == rows.count, "\(table), seed \(seed)")
        }
    }

    /// The table has nearly all of them. Parts of types with their own structure have the project's codes.
    @Test func everyFactOfAHealthTypeHasItsConcept() async throws {
        let seed = Seeded.newSeed()
        let all = try observations(seed)
        let structures = HealthType.all.compactMap { $0.example() }
        try await LoaderFixture.with { database in
            try await database.write { transaction in
                var maker = HealthBatchMaker(receivedAt: Self.received)
                for observation in all { maker.add(observation) }
                for json in structures { _ = maker.add(json) }
                var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                _ = try loader.store(maker.take(), at: Self.received, in: transaction)
            }
            let without = try await database.read { transaction in
                try transaction.query(
                    """
                    SELECT DISTINCT concept_cd FROM observation_fact f WHERE modifier_cd = '@' AND NOT EXISTS
                        (SELECT 1 FROM concept_dimension c WHERE c.concept_cd = f.concept_cd)
                    """
                ).map { try $0.text("concept_cd") }
            }
            #expect(without.isEmpty, "seed \(seed)")
        }
    }

    @Test(arguments: [
        ("HKStateOfMindLabelOverwhelmed", "Overwhelmed"), ("HKStateOfMindAssociationSelfCare", "Self care"),
        ("HKPHQ9AssessmentAnswerPreferNotToAnswer", "Preferred not to answer"),
        ("HKElectrocardiogramClassificationAtrialFibrillation", "Atrial fibrillation"),
        ("HKVisionPrescriptionTypeContacts", "Contact lenses"), ("HKIAmJaneDoe", nil),
    ])
    func vocabularyHasOnlyTheProjectsTitles(code: String, title: String?) {
        #expect(HealthVocabulary.title(system: HealthCodeSystem.healthKit, code: code) == title)
        #expect(HealthVocabulary.title(system: "http://example.org", code: code) == nil)
    }

    @Test(arguments: [
        ("audiogram-left-500-Hz", true), ("audiogram-right-0.5-Hz", true), ("audiogram-jane-500-Hz", false),
        ("audiogram-left-doe-Hz", false), ("audiogram-left-500-Hz-doe", false),
        ("vision-left-far-pupillary-distance", true),
        ("gad7-7", true), ("route-course", true), ("sleep-night", true), ("i-am-jane-doe", false),
    ])
    func vocabularyHasTheComponentsOfObservations(code: String, isKnown: Bool) {
        #expect((HealthVocabulary.title(system: HealthCodeSystem.component, code: code) != nil) == isKnown)
    }

    @Test func storedObservationsAreSkippedAndUndoneOnesLoadedAgain() async throws {
        let all = try observations()
        let batch = Self.batch(all[...])
        try await LoaderFixture.with { database in
            func store(_ batch: HealthBatch, as submission: String) async throws -> HealthLoader.Report {
                let provenance = RecordProvenance(
                    submissionID: submission, clientID: "health-load", keyID: nil, receivedAt: Self.received)
                return try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: provenance)
                    return try loader.store(batch, at: Self.received.addingTimeInterval(60), in: transaction)
                }
            }
            // A part, as of an interrupted load; then all of it.
            let part = try await store(Self.batch(all[..<100]), as: "load-1")
            #expect(part.resources == 100 && part.alreadyKnown == 0)
            let rest = try await store(batch, as: "load-1")
            #expect(rest.resources == all.count - 100 && rest.alreadyKnown == 100)
            let whole = try await LoaderFixture.rows(database)
            // The next export contains the same samples: no row is added, not even one of the upload.
            let again = try await store(batch, as: "load-2")
            #expect(again.resources == 0 && again.facts == 0 && again.alreadyKnown == all.count)
            #expect(try await LoaderFixture.rows(database) == whole)
            let undone = try await database.write {
                try WarehouseLoader().undo(upload: "load-1", at: Self.received, in: $0)
            }
            #expect(undone?.facts == part.facts + rest.facts)
            let back = try await store(batch, as: "load-1")
            #expect(back.alreadyKnown == all.count && back.facts == part.facts + rest.facts)
            let restored = try await LoaderFixture.rows(database)
            for table in ["observation_fact", "visit_dimension", "record", "record_version"] {
                #expect(restored[table]?.count == whole[table]?.count, "\(table)")
            }
        }
    }

    @Test func idOfAnotherParticipantIsNotChanged() async throws {
        let observation = try #require(try observations().first)
        try await LoaderFixture.with { database in
            let foreign = try Resource(
                Data(
                    #"{"resourceType":"Observation","id":"\#(observation.id)","subject":{"reference":"Patient/p2"}}"#
                        .utf8))
            let report = try await database.write { transaction in
                _ = try RecordStore().put(
                    foreign, content: foreign.json.data(), original: nil, id: observation.id,
                    provenance: Self.provenance, at: Self.received, in: transaction)
                var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                return try loader.store(Self.batch([observation]), at: Self.received, in: transaction)
            }
            #expect(report.refused == 1 && report.resources == 0 && report.alreadyKnown == 0 && report.facts == 0)
        }
    }

    /// For any fraction of a millisecond in the time, which the database does not store.
    @Test(arguments: [0, 0.0002, 0.0004, 0.0005, 0.0008])
    func summaryOfADayIsRevisedOnlyByALaterLoad(fraction: Double) async throws {
        func batch(_ steps: Int) throws -> HealthBatch {
            var maker = HealthBatchMaker(receivedAt: Self.received)
            let json = observation(#""valueInteger":\#(steps),"subject":{"reference":"Patient/p1"}"#)
            let isTaken = maker.add(try JSON(Data(json.utf8)))
            #expect(isTaken)
            return maker.take()
        }
        try await LoaderFixture.with { database in
            func store(_ steps: Int, _ submission: String, after seconds: Double) async throws -> HealthLoader.Report {
                let batch = try batch(steps)
                let received = Self.received.addingTimeInterval(seconds + fraction)
                let provenance = RecordProvenance(
                    submissionID: submission, clientID: "health-load", keyID: nil, receivedAt: received)
                return try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: provenance)
                    return try loader.store(batch, at: received, in: transaction)
                }
            }
            #expect(try await store(5, "a", after: 0).resources == 1)
            // The same load has another value for the day: the first one counts, each time.
            #expect(try await store(6, "a", after: 0).alreadyKnown == 1)
            #expect(try await store(9, "b", after: 60).revised == 1)
            #expect(try await store(9, "b", after: 60).alreadyKnown == 1)
            // The older export again.
            #expect(try await store(5, "a", after: 0).alreadyKnown == 1)
            let facts = try await database.read {
                try $0.query("SELECT nval_num FROM observation_fact WHERE modifier_cd = '@'")
            }
            #expect(try facts.map { try $0.real("nval_num") } == [9])
        }
    }

    /// Of one load, in one batch and in two; of an earlier load; and both.
    @Test func duplicatesAndKnownObservationsAreCountedSeparately() async throws {
        let all = Array(try observations().prefix(40))
        try await LoaderFixture.with { database in
            func store(_ batches: [[HealthObservation]]) async throws -> HealthLoader.Report {
                try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                    var report = HealthLoader.Report()
                    for batch in batches {
                        report += try loader.store(Self.batch(batch), at: Self.received, in: transaction)
                    }
                    return report
                }
            }
            let first = try await store([Array(all[..<20]) + all[..<5], Array(all[..<3])])
            #expect(first.resources == 20 && first.duplicates == 8 && first.alreadyKnown == 0)
            let second = try await store([Array(all[10...]) + all[10..<12], Array(all[30...])])
            #expect(second.resources == 20 && second.alreadyKnown == 10 && second.duplicates == 12)
        }
    }

    /// The two written forms lie on both sides of a rounding boundary: they have two ids and are one record.
    @Test func sampleInAnotherUnitIsRecognised() async throws {
        let type = try #require(HealthType.named("DistanceWalkingRunning"))
        let measure = try #require(type.measure)
        let instant = HealthInstant(seconds: 1_767_225_600, offsetMinutes: 60)
        func observation(_ value: Double, _ unit: String) throws -> HealthObservation {
            let quantity = try HealthQuantity(String(format: "%.6g", value), unit: unit, as: measure)
            let sample = HealthSample(
                type: type, value: .quantity(quantity), start: instant, end: instant,
                source: HealthSource(product: .appleWatch, version: "26.2"))
            return HealthObservation(sample, fingerprint: sample.fingerprint, subject: "p1")
        }
        let miles = try #require(
            try (1...20_000).lazy.map { Double($0) / 1000 }.first {
                try observation($0, "mi").id != observation($0 * 1.609344, "km").id
            })
        let (first, second) = (try observation(miles, "mi"), try observation(miles * 1.609344, "km"))
        let other = try observation(miles + 1, "mi")
        for batches in [
            [[first, second, other]], [[first, other], [second]], [[second], [first, other], [second]],
        ] {
            try await LoaderFixture.with { database in
                let report = try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                    var report = HealthLoader.Report()
                    for batch in batches {
                        report += try loader.store(Self.batch(batch), at: Self.received, in: transaction)
                    }
                    return report
                }
                #expect(report.resources == 2 && report.facts == 2 && report.alreadyKnown == 0)
                #expect(report.duplicates == batches.joined().count - 2)
                let again = try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                    return try loader.store(Self.batch([first, second, other]), at: Self.received, in: transaction)
                }
                #expect(again.resources == 0 && again.facts == 0)
                #expect(again.alreadyKnown + again.duplicates == 3)
            }
        }
    }

    @Test func numberSetBehavesAsASet() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        var (numbers, model) = (NumberSet(), Set<Int64>())
        for _ in 0..<5_000 {
            let number = Int64.random(in: 0...(Bool.random(using: &generator) ? 9_000 : .max), using: &generator)
            #expect(numbers.insert(number) == model.insert(number).inserted, "seed \(seed)")
        }
    }

    @Test func aStudysOwnTypeHasItsConcept() throws {
        let supplement = try JSON(
            Data(
                """
                {"types": [{"identifier": "ExampleGripStrength", "kind": "quantity", "title": "Grip strength",
                  "codings": [{"system": "http://example.org/codes", "code": "grip", "display": "Grip strength"}],
                  "unit": {"healthKit": "kg", "ucum": "kg", "display": "kg"}}]}
                """.utf8))
        let concepts = try HealthConcept.concepts(supplement: supplement)
        #expect(concepts.count == HealthConcept.all.count + 1)
        #expect(concepts.last?.title == "Grip strength" && concepts.last?.ucum == "kg")
        #expect(try HealthConcept.concepts(supplement: nil) == HealthConcept.all)
        #expect(throws: HealthTypeTableError.self) { try HealthConcept.concepts(supplement: ["types": 1]) }
    }

    @Test func aDeviceIsStoredOnce() async throws {
        let device = HealthDevice(product: .appleWatch, manufacturer: "Apple Inc.", hardware: "Watch6,2")
        var maker = HealthBatchMaker(receivedAt: Self.received)
        maker.add(device, subject: "p1")
        let batch = maker.take()
        try await LoaderFixture.with { database in
            for expected in [1, 0] {
                let report = try await database.write { transaction in
                    var loader = HealthLoader(subject: "p1", provenance: Self.provenance)
                    return try loader.store(batch, at: Self.received, in: transaction)
                }
                #expect(report.devices == expected)
            }
            let stored = try await database.read {
                try RecordStore().read(type: "Device", id: device.resourceID(subject: "p1"), in: $0)
            }
            #expect(try stored?.resource().json["modelNumber"]?.string == "Watch6,2")
        }
    }

    private static func batch(_ observations: some Sequence<HealthObservation>) -> HealthBatch {
        var maker = HealthBatchMaker(receivedAt: received)
        for observation in observations { maker.add(observation) }
        return maker.take()
    }
}

/// Records and warehouse in a temporary folder.
enum LoaderFixture {
    static func with(_ body: (any SQLDatabase) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url
        let database = try await TestEngine.chosen.open(
            path: folder.appendingPathComponent("test.sqlite").path,
            migrations: [.baseline(of: "records", RecordsSchema.sections + WarehouseSchema.sections)])
        try await database.write { transaction in
            try WarehouseLoader().ensureHealthOntology(
                HealthConcept.all, at: instant("2026-01-01T00:00:00Z"), in: transaction)
        }
        try await body(database)
        try await database.close()
    }

    /// All rows of all tables after the body, sorted.
    static func dump(_ body: (any SQLDatabase) async throws -> Void) async throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        try await with { database in
            try await body(database)
            result = try await rows(database)
        }
        return result
    }

    static func rows(_ database: any SQLDatabase) async throws -> [String: [String]] {
        try await database.read { transaction in
            var result: [String: [String]] = [:]
            for table in try transaction.tableNames() where table != "schema_migration" {
                result[table] = try transaction.rowTexts(of: table)
            }
            return result
        }
    }
}

/// The template of one sample applies to the others of its kind.
@Suite struct SampleTemplateTests {
    @Test func numberThatCannotBeConvertedIsNoTemplate() throws {
        let type = try #require(
            HealthType.all.first { $0.identifier == "HKQuantityTypeIdentifierEnvironmentalSoundReduction" })
        let measure = try #require(type.measure)
        var maker = HealthBatchMaker(receivedAt: instant("2026-05-01T12:00:00Z"))
        for text in ["999999999999.99999", "72", "12.5"] {
            var sample = try #require(type.exampleSample)
            sample.value = .quantity(try HealthQuantity(text, unit: measure.healthKitUnit.text, as: measure))
            maker.add(HealthObservation(sample, fingerprint: sample.fingerprint, subject: "p1"))
            let entry = try #require(maker.take().entries.first)
            let resource = try Resource(entry.record.content)
            let record = NewRecord(resource, id: entry.record.id, content: entry.record.content)
            #expect(entry.record.rowCount == record.rowCount, "\(text)")
        }
    }
}
