import Attachments
import Core
import Crypto
import FHIR
import FHIRVersions
import Foundation
import HealthData
import InformedConsent
import RecordStorage
import Storage
import Submissions
import Warehouse
import Wire

/// Reads an opened payload: its resources in R4, each with its participant. Pure.
package struct SubmissionReader {
    /// Types that a device may send.
    package static let acceptedTypes = ClinicalRecord.resourceTypes.union([
        Contract.resourceType, Consent.resourceType, Patient.resourceType, QuestionnaireResponse.resourceType,
        Observation.resourceType, Device.resourceType, Encounter.resourceType,
    ])

    /// Maximum steps of one message: one for each converted element, validated element and step of an expression. A
    /// batch of ten thousand observations takes half of them.
    static let maximumSteps = 10_000_000

    let maximumResources: Int
    let validation: SubmissionValidation
    let answers: AnswerValidation
    let contracts: ContractValidation
    let identifyingData: IdentifyingDataHandling
    /// Base URLs of the FHIR API, without a trailing slash: they may precede a reference to a participant's Patient.
    var ownBases: [String] = []

    /// Parses the documents of a payload only as JSON, which is enough for the gate and costs no more than their size.
    ///
    /// - Throws: ``SubmissionProblem`` at the first document that cannot be parsed.
    package func parse(_ opened: OpenedEnvelope) throws -> [ParsedDocument] {
        let documents = try documents(in: opened)
        return try documents.enumerated().map { index, bytes in
            try Self.addingLine(index, of: documents.count) {
                do throws(ResourceError) {
                    return try ParsedDocument(bytes: bytes, at: ownBases)
                } catch {
                    throw SubmissionProblem(error.code, error.message)
                }
            }
        }
    }

    /// Converts the documents to R4, and checks them, each with its owner.
    ///
    /// - Throws: ``SubmissionProblem`` at the first one that cannot be accepted: a submission is accepted completely or
    ///   not at all.
    package func convert(
        _ documents: [ParsedDocument], of opened: OpenedEnvelope, submission: QueuedSubmission,
        published: PublishedStudy
    ) throws -> [IncomingResource] {
        let budget = StepBudget(steps: Self.maximumSteps)
        var templates = IncomingTemplates()
        let incoming = try documents.enumerated().map { index, document in
            if let known = templates.incoming(document, budget: budget) { return known }
            let before = budget.spent
            let incoming = try Self.addingLine(index, of: documents.count) {
                try convert(
                    document, index: index, opened: opened, submission: submission, published: published,
                    budget: budget)
            }
            if documents.count > 1, !validation.mayDependOnValues(of: document.resource) {
                templates.add(
                    document, incoming, steps: budget.spent - before, health: published.health,
                    receivedAt: submission.receivedAt)
            }
            return incoming
        }
        do throws(WarehouseError) {
            try WarehouseEntry.check(incoming.map(\.entry))
        } catch {
            throw SubmissionProblem(error.code, error.message)
        }
        // Search keys are rows too.
        let rows = incoming.reduce(0) { $0 + $1.entry.rowCount + $1.record.rowCount }
        guard rows <= WarehouseEntry.maximumRows else {
            throw SubmissionProblem(
                "too-many-rows",
                "The submission would write \(rows) rows; the maximum is \(WarehouseEntry.maximumRows).")
        }
        return incoming
    }

    private static func addingLine<T>(_ index: Int, of count: Int, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let problem as SubmissionProblem where count > 1 {
            throw SubmissionProblem(problem.code, "\(problem.message) (line \(index + 1) of the batch)")
        }
    }

    /// Returns the single document, or the lines of a batch without blank ones.
    private func documents(in opened: OpenedEnvelope) throws -> [Data] {
        guard opened.contentType == .batch else { return [opened.payload] }
        let lines = Self.lines(of: opened.payload)
        guard !lines.isEmpty else { throw SubmissionProblem("batch-empty", "The batch contains no resource.") }
        guard lines.count <= maximumResources else {
            throw SubmissionProblem(
                "batch-too-large", "The batch contains \(lines.count) resources; the maximum is \(maximumResources).")
        }
        return lines
    }

    /// Returns the lines that contain more than spaces and tabs.
    private static func lines(of payload: Data) -> [Data] {
        payload.withUnsafeBytes { bytes in
            bytes.split { $0 == 0x0A || $0 == 0x0D }
                .filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }.map { Data($0) }
        }
    }

    private func convert(
        _ document: ParsedDocument, index: Int, opened: OpenedEnvelope, submission: QueuedSubmission,
        published: PublishedStudy, budget: StepBudget
    ) throws -> IncomingResource {
        var (converted, version) = try inR4(document.resource, labelled: opened, budget: budget)
        guard Self.acceptedTypes.contains(converted.resourceType) else {
            throw SubmissionProblem(
                "resource-type-not-accepted", "Resources of the type \(converted.resourceType) are not accepted.")
        }
        if let problem = try validation.problem(in: converted, budget: budget) { throw problem }
        let owners = version == nil ? document.owners : converted.owners.local(to: ownBases)
        guard let subject = owners.one else {
            throw owners.patients.isEmpty
                ? SubmissionProblem(
                    "subject-missing",
                    "The \(converted.resourceType) has no reference to a participant (Patient).")
                : SubmissionProblem(
                    "subject-ambiguous",
                    "The \(converted.resourceType) belongs to more than one Patient, or to one without an id.")
        }
        let given = converted.id.flatMap { Resource.isID($0) ? $0 : nil }
        let id = given ?? Self.id(of: submission, index: index)
        var form: PublishedStudy.Form?
        var changedFrom = version
        if let response = converted.as(QuestionnaireResponse.self) {
            let answered = try answers.answered(
                response, in: published, receivedAt: submission.receivedAt, budget: budget)
            form = answered.form
            if answered.response != response {
                converted = answered.response.resource
                // Keep the original bytes, as for older releases.
                changedFrom = version ?? FHIRVersion.r4.number
            }
        }
        let original = changedFrom.map { OriginalContent(bytes: document.bytes, fhirVersion: $0) }
        let contract = converted.as(Contract.self).map {
            contracts.verdict(on: $0, original: original, in: published.consents)
        }
        let (admitted, isReduced) = try admitted(converted, form: form, submission: submission)
        // Do not keep the original bytes of a reduced resource.
        let record = NewRecord(
            admitted, id: id, subject: subject,
            content: original == nil && !isReduced ? document.bytes : admitted.json.data(),
            original: isReduced ? nil : original)
        do throws(WarehouseError) {
            return IncomingResource(
                resource: admitted, subject: subject, record: record,
                entry: try WarehouseEntry(
                    admitted, id: id, form: form?.concepts, health: published.health,
                    receivedAt: submission.receivedAt),
                contract: contract,
                inclusions: Set(HealthSelection.Inclusion.permitting(admitted).map(\.rawValue)))
        } catch {
            throw SubmissionProblem(error.code, error.message)
        }
    }

    /// Returns the resource after the handling of identifying data.
    private func admitted(
        _ resource: Resource, form: PublishedStudy.Form?, submission: QueuedSubmission
    ) throws -> (resource: Resource, isReduced: Bool) {
        // A withdrawal is honoured even with identifying data.
        let isWithdrawal = resource.resourceType == Consent.resourceType && ConsentSignal.mayBeWithdrawal(resource)
        let handling = identifyingData == .quarantine && isWithdrawal ? .reduce : identifyingData
        let rule = IdentifyingData(
            today: DateTime(submission.receivedAt),
            attachments: AttachmentCleaning(asIs: form?.rules.attachmentsAsIs ?? []))
        do {
            return try handling.admit(resource, by: rule)
        } catch {
            throw SubmissionProblem(error.code, error.message)
        }
    }

    /// Returns the resource in R4, with its original version if that is another one.
    private func inR4(
        _ resource: Resource, labelled opened: OpenedEnvelope, budget: StepBudget
    ) throws -> (Resource, String?) {
        if let name = opened.fhirVersion, opened.format == .jwe, FHIRVersion(label: name) == nil {
            throw SubmissionProblem(
                "fhir-version-unsupported", "The FHIR version \(Self.printable(name)) is not supported.")
        }
        let version = FHIRVersion.of(
            resource, label: opened.fhirVersion, fallback: opened.format == .c3pro ? .dstu2 : .r4)
        guard version != .r4 else { return (resource, nil) }
        do {
            return (try FHIRConversion.toR4(resource, from: version, budget: budget).resource, version.number)
        } catch FHIRConversionError.tooExpensive(let error) {
            throw SubmissionProblem(error.code, error.message)
        } catch {
            throw SubmissionProblem(
                "fhir-conversion-failed",
                "The \(resource.resourceType) cannot be converted from FHIR \(version.number) to R4.")
        }
    }

    /// Returns the id of a resource that was sent without one; it is the same each time the submission is processed.
    private static func id(of submission: QueuedSubmission, index: Int) -> String {
        let name = "\(submission.clientID)\n\(submission.submissionID)\n\(index)"
        return UUID(SHA256.hash(data: Data(name.utf8)), version: .custom).lowercaseText
    }

    private static func printable(_ text: String) -> String {
        String(text.prefix(20).filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
    }
}
