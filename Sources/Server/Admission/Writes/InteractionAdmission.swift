import Attachments
import Audit
import FHIR
import FHIRValidation
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Warehouse

extension StudyAdmission: RecordAdmission {
    /// Begins a request of the FHIR API, which passes the same checks as submissions of devices.
    package func begin(at: Date) async -> any WriteAdmission {
        InteractionAdmission(study: self, published: await published(), at: at)
    }
}

/// Admission of resources that are written through the FHIR API: validation with the study's strictness, removal of
/// identifying data as for devices, the consent of the participants, and loading into the warehouse.
struct InteractionAdmission: WriteAdmission {
    let study: StudyAdmission
    let published: PublishedStudy
    let at: Date

    func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
        do {
            let budget = StepBudget(steps: SubmissionReader.maximumSteps)
            if let problem = try study.validation.problem(
                in: resource, budget: budget, isOfDevice: false)
            {
                let isShape = try study.validation.isOfWrongShape(resource, budget: budget)
                throw RecordAdmissionError(
                    isShape ? .shape : .rule, code: problem.code, message: problem.message, issues: problem.issues)
            }
            let form = try form(of: resource, budget: budget)
            let rule = IdentifyingData(
                today: DateTime(at), attachments: AttachmentCleaning(asIs: form?.rules.attachmentsAsIs ?? []))
            let admitted = try study.identifyingData.admit(resource, by: rule).resource
            return AdmittedResource(admitted, prepared: try entry(of: admitted, id: id, form: form))
        } catch let error as RecordAdmissionError {
            throw error
        } catch let error as SubmissionProblem {
            throw RecordAdmissionError(.rule, code: error.code, message: error.message, issues: error.issues)
        } catch let error as any CodedError {
            throw RecordAdmissionError(.rule, code: error.code, message: error.message)
        } catch {
            throw RecordAdmissionError(.rule, code: "resource-invalid", message: "The resource cannot be accepted.")
        }
    }

    func problems(of resource: Resource, profiles: [String]) throws(RecordAdmissionError) -> [RecordIssue] {
        guard profiles.allSatisfy(study.validation.knows(profile:)) else {
            throw RecordAdmissionError(
                .rule, code: "profile-unknown", message: "A requested profile is unknown to this server.")
        }
        do {
            let budget = StepBudget(steps: SubmissionReader.maximumSteps)
            let problems = try study.validation.problems(in: resource, profiles: profiles, budget: budget)
            // A profile is checked by itself.
            guard profiles.isEmpty, let response = resource.as(QuestionnaireResponse.self) else { return problems }
            return problems
                + (try study.answers.issues(of: response, in: published, receivedAt: at, budget: budget))
        } catch let error as any CodedError {
            throw RecordAdmissionError(.rule, code: error.code, message: error.message)
        } catch {
            throw RecordAdmissionError(.rule, code: "resource-invalid", message: "The resource cannot be accepted.")
        }
    }

    func template(of admitted: AdmittedResource) -> (any AdmissionTemplate)? {
        guard !study.validation.mayDependOnValues(of: admitted.resource) else { return nil }
        return WarehouseEntryTemplate(of: admitted.resource, health: published.health, receivedAt: at)
            .map(LoadTemplate.init)
    }

    private struct LoadTemplate: AdmissionTemplate {
        let entries: WarehouseEntryTemplate

        func prepared(_ values: ObservationValues) -> (any Sendable)? { entries.entry(values) }
    }

    func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {
        guard !published.records.contains(type + "/" + id) else {
            throw RecordAdmissionError(
                .refused, code: "published-by-study",
                message: "The study publishes this resource; it changes with its file in the study's folder.")
        }
        for participant in participants.sorted() {
            let state = try study.register.state(of: participant, in: transaction)
            if Self.isAboutConsent(type), state.gateState != .none {
                throw RecordAdmissionError(
                    .refused, code: "consent-not-written-here",
                    message: """
                        A participant's consent is given and withdrawn on their device, or by the study team \
                        (`tributary participant`); it is not written through this API.
                        """)
            }
            switch try dataAdmission(of: participant, state, in: transaction) {
            case .admitted: continue
            // A record may exist before consent: the study team may write it before the participant signs.
            case .held(ConsentGate.Requirement.contract.code, _): continue
            case .held(let code, let sentence), .refused(let code, let sentence):
                throw RecordAdmissionError(.refused, code: code, message: sentence)
            }
        }
    }

    func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission {
        if try DeletionRegister().isDeleted(participant, in: transaction) {
            return .refused(code: DeletionRegister.code, sentence: "The participant was deleted.")
        }
        return try dataAdmission(
            of: participant, study.register.state(of: participant, in: transaction), in: transaction)
    }

    private func dataAdmission(
        of participant: String, _ state: ConsentState, in transaction: any SQLTransaction
    ) throws -> DataAdmission {
        let context = try study.consentContext(of: participant, state, in: published, transaction: transaction)
        switch study.gate.decide(.data, in: context) {
        case .admit: return .admitted
        case .hold(let requirement): return .held(code: requirement.code, sentence: requirement.sentence)
        case .refuse(let reason), .quarantine(let reason):
            return .refused(code: reason.rawValue, sentence: reason.sentence)
        }
    }

    func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {
        // 1. Remove the facts of records that changed their participant, lost it, or have no facts any more.
        for change in changes {
            guard let former = change.formerSubject,
                former != change.subject || change.put != nil && change.prepared == nil
            else { continue }
            try study.loader.remove(record: change.number, of: former, at: at, in: transaction)
        }
        // 2. Load the changes, grouped by participant, because an upload has only one.
        var groups: [(participant: String, changes: [RecordChange])] = []
        for change in changes {
            guard let participant = change.participant else { continue }
            guard let index = groups.firstIndex(where: { $0.participant == participant }) else {
                groups.append((participant, [change]))
                continue
            }
            groups[index].changes.append(change)
        }
        for (index, group) in groups.enumerated() {
            let state = try study.register.state(of: group.participant, in: transaction)
            guard state.gateState == .consented else { continue }
            let context = LoadContext(
                subject: group.participant, submissionID: index == 0 ? submissionID : "\(submissionID)-\(index + 1)",
                receivedAt: at, loadedAt: at)
            let loads = try group.changes.map(load)
            guard loads.contains(where: { $0 != nil }) else { continue }
            try study.loader.upload(context, in: transaction) { upload in
                for (entry, change) in zip(loads, group.changes) {
                    guard let entry else { continue }
                    try upload.load(entry, change.put ?? change.asDeleted)
                }
            }
        }
    }

    /// Returns the entry to load for a change; nil if there is none.
    private func load(_ change: RecordChange) throws -> WarehouseEntry? {
        if change.put != nil { return change.prepared as? WarehouseEntry }
        // A deleted Patient keeps its row, because facts may refer to it.
        guard change.type == Patient.resourceType else { return nil }
        return try WarehouseEntry(Patient(id: change.id).resource, form: nil, receivedAt: at)
    }

    /// Returns the form of a response if the study has ever published it, after validating the answers; nil for an
    /// unknown form.
    private func form(of resource: Resource, budget: StepBudget) throws -> PublishedStudy.Form? {
        guard let response = resource.as(QuestionnaireResponse.self), let name = response.questionnaire,
            published.candidates(name).contains(where: { _ in true })
        else { return nil }
        return try study.answers.answered(response, in: published, receivedAt: at, budget: budget).form
    }

    private func entry(of resource: Resource, id: String, form: PublishedStudy.Form?) throws -> WarehouseEntry? {
        if Self.isAboutConsent(resource.resourceType) { return nil }
        return try WarehouseEntry(
            resource, id: id, form: form?.concepts, health: published.health, receivedAt: at)
    }

    private static func isAboutConsent(_ type: String) -> Bool {
        type == Contract.resourceType || type == Consent.resourceType
    }
}

extension RecordChange {
    /// Participant whose facts change.
    fileprivate var participant: String? {
        put == nil ? (type == Patient.resourceType ? id : nil) : subject
    }

    /// The change as a deletion.
    fileprivate var asDeleted: PutResult { PutResult(deleted: number) }
}
