import FHIR
import Foundation
import Storage

/// Loads resources into the i2b2 tables, inside the transaction of its caller.
///
/// Every resource is an encounter of its own. Loading it again replaces that encounter's facts, so the same resource
/// loaded twice, in any order of retries, gives the same rows.
public struct WarehouseLoader: Sendable {
    public init() {}

    static let source = "TRIBUTARY"

    /// Loads one resource.
    ///
    /// - Parameters:
    ///   - resource: with the id that it is recorded under.
    ///   - questionnaire: the form of a response, for its codes, texts and options.
    @discardableResult
    public func load(
        _ resource: Resource, questionnaire: Questionnaire?, context: LoadContext, in transaction: any SQLTransaction
    ) throws -> LoadReport {
        try OntologyWriter(transaction: transaction, at: context.loadedAt).ensureFoundation()
        let numbering = Numbering(transaction: transaction, context: context)
        let patient = try numbering.patient()
        let upload = try numbering.upload()
        switch resource.resourceType {
        case Patient.resourceType:
            try write(PatientRow(Patient(resource.object), at: context.loadedAt), patient, upload, context, transaction)
        case Contract.resourceType:
            try ConsentRows(transaction: transaction, context: context, patient: patient, upload: upload)
                .write(Contract(resource.object))
        case FHIR.Consent.resourceType:
            try ConsentRows(transaction: transaction, context: context, patient: patient, upload: upload)
                .withdraw(FHIR.Consent(resource.object))
        default: break
        }
        let facts = FactMapping.facts(of: resource, questionnaire: questionnaire, receivedAt: context.receivedAt)
        guard let facts else { return LoadReport(facts: 0, isOutdated: false) }
        if let questionnaire { try ensureOntology(questionnaire: questionnaire, at: context.loadedAt, in: transaction) }
        return try write(facts, of: resource, patient, upload, context, transaction)
    }

    /// Writes the concepts of a form. A later version adds to them and removes none.
    public func ensureOntology(questionnaire: Questionnaire, at: Date, in transaction: any SQLTransaction) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        let survey = SurveyConcepts(questionnaire)
        try writer.ensure(survey.folder)
        for linkID in survey.order {
            guard let question = survey.questions[linkID] else { continue }
            try writer.ensure(question.concept)
            for option in question.options { try writer.ensure(option.concept) }
        }
    }

    /// Writes the concepts of the health types.
    public func ensureHealthOntology(
        _ concepts: [HealthConcept], at: Date, in transaction: any SQLTransaction
    ) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        for health in concepts {
            let codings = health.codings.map { Coding(system: $0.system, code: $0.code) }
            guard let coding = FactMapping.preferred(codings), let code = coding.code else { continue }
            let folder = ConceptPath.child(of: ConceptPath.root + "Health\\", ConceptPath.segment(health.category))
            try writer.ensure(Concept(path: folder, code: nil, name: health.category, kind: .folder))
            let name = health.identifier.replacingOccurrences(of: "Identifier", with: " ").split(separator: " ").last
            try writer.ensure(
                Concept(
                    path: ConceptPath.child(
                        of: folder, ConceptPath.segment(name.map(String.init) ?? health.identifier)),
                    code: ConceptCode.code(system: coding.system, code: code), name: health.title,
                    kind: health.isNumeric ? .numeric(units: health.ucum) : .choice))
        }
    }

    private func write(
        _ facts: FactSet, of resource: Resource, _ patient: Int64, _ upload: Int64, _ context: LoadContext,
        _ transaction: any SQLTransaction
    ) throws -> LoadReport {
        let ide = "\(resource.resourceType)/\(resource.id ?? "")"
        let numbering = Numbering(transaction: transaction, context: context)
        let encounter = try numbering.encounter(ide, upload: upload)
        let updated = WarehouseTime.text(context.receivedAt)
        let visit = try transaction.first(
            "SELECT update_date FROM visit_dimension WHERE encounter_num = ? AND patient_num = ?",
            [SQLValue(encounter), SQLValue(patient)])
        // An older version must not undo a newer one.
        if let present = visit?.textIfPresent("update_date"), present > updated {
            return LoadReport(facts: 0, isOutdated: true)
        }
        try transaction.execute(
            "DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?",
            [SQLValue(encounter), SQLValue(patient)])
        let writer = OntologyWriter(transaction: transaction, at: context.loadedAt)
        for concept in facts.concepts { try writer.ensure(concept) }
        let trail = [
            SQLValue(updated), SQLValue(updated), WarehouseTime.value(context.loadedAt), SQLValue(Self.source),
            SQLValue(upload),
        ]
        try transaction.execute(
            """
            INSERT INTO visit_dimension (encounter_num, patient_num, active_status_cd, start_date, end_date, update_date,
                download_date, import_date, sourcesystem_cd, upload_id) VALUES (?, ?, 'F', ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (encounter_num, patient_num) DO UPDATE SET start_date = excluded.start_date,
                end_date = excluded.end_date, update_date = excluded.update_date,
                download_date = excluded.download_date, import_date = excluded.import_date,
                upload_id = excluded.upload_id
            """,
            [
                SQLValue(encounter), SQLValue(patient), WarehouseTime.value(facts.time.start),
                WarehouseTime.value(facts.time.end ?? facts.time.start),
            ] + trail)
        for fact in facts.facts {
            try insert(fact, facts.time, "@", encounter, patient, trail, transaction)
            let time = ObservationFact(
                concept: fact.concept, value: .text(facts.time.text ?? "@"), instance: fact.instance)
            try insert(time, facts.time, facts.time.source.rawValue, encounter, patient, trail, transaction)
        }
        try transaction.execute(
            """
            UPDATE upload_status SET no_of_record = no_of_record + ?, loaded_record = loaded_record + ?,
                end_date = ?, load_status = 'COMPLETED' WHERE upload_id = ?
            """,
            [
                SQLValue(facts.facts.count), SQLValue(facts.facts.count), WarehouseTime.value(context.loadedAt),
                SQLValue(upload),
            ])
        return LoadReport(facts: facts.facts.count, isOutdated: false)
    }

    private func insert(
        _ fact: ObservationFact, _ time: FactTime, _ modifier: String, _ encounter: Int64, _ patient: Int64,
        _ trail: [SQLValue], _ transaction: any SQLTransaction
    ) throws {
        var (type, text, number, units, blob): (String, SQLValue, SQLValue, SQLValue, SQLValue) =
            ("T", .null, .null, "@", .null)
        switch fact.value {
        case .numeric(let value, let comparison, let unit):
            (type, text, number) = ("N", SQLValue(comparison), .real(value))
            units = SQLValue(unit ?? "@")
        case .text(let value): text = SQLValue(value)
        case .blob(let value): (type, blob) = ("B", SQLValue(value))
        }
        try transaction.execute(
            """
            INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd,
                instance_num, valtype_cd, tval_char, nval_num, valueflag_cd, units_cd, end_date, location_cd,
                observation_blob, update_date, download_date, import_date, sourcesystem_cd, upload_id)
            VALUES (?, ?, ?, '@', ?, ?, ?, ?, ?, ?, '@', ?, ?, '@', ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(encounter), SQLValue(patient), SQLValue(fact.concept), WarehouseTime.value(time.start),
                SQLValue(modifier), SQLValue(fact.instance), SQLValue(type), text, number, units,
                WarehouseTime.value(time.end ?? time.start), blob,
            ] + trail)
    }

    private func write(
        _ row: PatientRow, _ patient: Int64, _ upload: Int64, _ context: LoadContext, _ transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO patient_dimension (patient_num, vital_status_cd, birth_date, sex_cd, age_in_years_num, zip_cd,
                statecityzip_path, update_date, download_date, import_date, sourcesystem_cd, upload_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (patient_num) DO UPDATE SET vital_status_cd = excluded.vital_status_cd,
                birth_date = excluded.birth_date, sex_cd = excluded.sex_cd,
                age_in_years_num = excluded.age_in_years_num, zip_cd = excluded.zip_cd,
                statecityzip_path = excluded.statecityzip_path, update_date = excluded.update_date,
                download_date = excluded.download_date, import_date = excluded.import_date,
                sourcesystem_cd = excluded.sourcesystem_cd, upload_id = excluded.upload_id
            WHERE patient_dimension.update_date IS NULL OR excluded.update_date >= patient_dimension.update_date
            """,
            [
                SQLValue(patient), SQLValue(row.vitalStatus), WarehouseTime.value(row.birthDate), SQLValue(row.sex),
                SQLValue(row.age), SQLValue(row.zip), SQLValue(row.statePath), WarehouseTime.value(context.receivedAt),
                WarehouseTime.value(context.receivedAt), WarehouseTime.value(context.loadedAt), SQLValue(Self.source),
                SQLValue(upload),
            ])
    }
}
