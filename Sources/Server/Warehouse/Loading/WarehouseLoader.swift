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
        let resource = StorableText.resource(resource)
        let writer = OntologyWriter(transaction: transaction, at: context.loadedAt)
        try writer.ensureFoundation()
        let numbering = Numbering(transaction: transaction, context: context)
        let patient = try numbering.patient()
        let upload = try numbering.upload()
        let consent = ConsentRows(transaction: transaction, context: context, patient: patient, upload: upload)
        switch resource.resourceType {
        case Patient.resourceType:
            let row = PatientRow(Patient(resource.object), at: context.loadedAt)
            try row.write(patient, upload, context, in: transaction)
        case Contract.resourceType: try consent.write(Contract(resource.object))
        case FHIR.Consent.resourceType: try consent.withdraw(FHIR.Consent(resource.object))
        default: break
        }
        let survey = questionnaire.map { SurveyConcepts(StorableText.questionnaire($0)) }
        let facts = FactMapping.facts(of: resource, survey: survey, receivedAt: context.receivedAt)
        guard let facts else { return LoadReport() }
        if let survey { try writer.ensure(survey.concepts, below: survey.folder.path) }
        for concept in facts.concepts { try writer.ensure(concept) }
        let rows = FactRows(transaction: transaction, context: context, patient: patient, upload: upload)
        return try rows.write(facts, ide: "\(resource.resourceType)/\(resource.id ?? "")")
    }

    /// Writes the concepts of a form. A later version adds to them and removes none.
    public func ensureOntology(questionnaire: Questionnaire, at: Date, in transaction: any SQLTransaction) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        let survey = SurveyConcepts(StorableText.questionnaire(questionnaire))
        try writer.ensure(survey.concepts, below: survey.folder.path)
    }

    /// Writes the concepts of the health types.
    public func ensureHealthOntology(
        _ concepts: [HealthConcept], at: Date, in transaction: any SQLTransaction
    ) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        var rows: [Concept] = []
        var codes: Set<String> = []
        for health in concepts {
            let codings = health.codings.map { Coding(system: $0.system, code: $0.code) }
            guard let code = FactMapping.code(of: CodeableConcept(coding: codings)) else { continue }
            // A part that has the code of a type of its own is found there: i2b2 knows a fact by its code alone.
            guard codes.insert(code).inserted || !health.isPart else { continue }
            let folder = ConceptPath.child(of: ConceptPath.health, ConceptPath.segment(health.category))
            let path = ConceptPath.child(of: folder, ConceptPath.segment(health.identifier))
            rows.append(Concept(path: folder, code: nil, name: health.category, kind: .folder))
            rows.append(
                Concept(
                    path: path, code: code, name: health.title, kind: Self.kind(of: health)))
            for option in health.options {
                rows.append(
                    Concept(
                        path: ConceptPath.child(of: path, SurveyConcepts.optionSegment(option.system, option.code)),
                        code: SurveyConcepts.combinedCode(question: code, system: option.system, code: option.code),
                        name: option.display ?? option.code, kind: .option))
            }
        }
        try writer.ensure(rows, below: ConceptPath.health)
    }

    /// What the facts of a health type hold.
    private static func kind(of health: HealthConcept) -> Concept.Kind {
        if health.isNumeric { return .numeric(units: health.ucum) }
        if health.isBoolean { return .boolean }
        return .choice(health.options.map { Concept.Choice(code: $0.code, name: $0.display ?? $0.code) })
    }
}
