import Attachments
import Core
import Crypto
import FHIR
import FHIRVersions
import Foundation
import HealthData
import InformedConsent
import Records
import Storage
import Warehouse
import Wire

/// Reads an opened payload: the resources in it as R4, each with the participant it is about. Pure.
struct SubmissionReader {
    /// The types that a device may send.
    static let acceptedTypes = ClinicalRecord.resourceTypes.union([
        Contract.resourceType, Consent.resourceType, Patient.resourceType, QuestionnaireResponse.resourceType,
        Observation.resourceType, Device.resourceType, Encounter.resourceType,
    ])

    /// Steps that one message may take: an element converted, an element validated, a step of an expression. A batch of
    /// ten thousand observations takes half of them.
    static let maximumSteps = 10_000_000

    let maximumResources: Int
    let validation: SubmissionValidation
    let answers: AnswerValidation
    let contracts: ContractValidation
    let identifyingData: IdentifyingDataHandling
    /// The base URLs of the FHIR API, without a last slash: a Patient with one of them in front is a participant.
    var ownBases: [String] = []

    /// The documents of a payload as JSON, and no further: what it takes to see what they are about costs no more than
    /// their bytes.
    ///
    /// - Throws: ``SubmissionProblem`` at the first document that cannot be read.
    func parse(_ opened: OpenedEnvelope) throws -> [ParsedDocument] {
        let documents = try documents(in: opened)
        return try documents.enumerated().map { index, bytes in
            try Self.placed(index, of: documents.count) {
                do throws(ResourceError) {
                    return try ParsedDocument(bytes: bytes, at: ownBases)
                } catch {
                    throw SubmissionProblem(error.code, error.message)
                }
            }
        }
    }

    /// The documents as R4, checked, each with its owner.
    ///
    /// - Throws: ``SubmissionProblem`` at the first one that cannot be taken: a submission is taken whole or not.
    func convert(
        _ documents: [ParsedDocument], of opened: OpenedEnvelope, submission: QueuedSubmission,
        published: PublishedStudy
    ) throws -> [IncomingResource] {
        let budget = StepBudget(steps: Self.maximumSteps)
        var patterns = IncomingPatterns()
        let incoming = try documents.enumerated().map { index, document in
            if let known = patterns.incoming(document, budget: budget) { return known }
            let before = budget.spent
            let incoming = try Self.placed(index, of: documents.count) {
                try convert(
                    document, index: index, opened: opened, submission: submission, published: published,
                    budget: budget)
            }
            if documents.count > 1, !validation.mayDependOnValues(of: document.resource) {
                patterns.learn(
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
        // What search will find them by is rows too.
        let rows = incoming.reduce(0) { $0 + $1.entry.rowCount + $1.record.rowCount }
        guard rows <= WarehouseEntry.maximumRows else {
            throw SubmissionProblem(
                "too-many-rows",
                "The submission would write \(rows) rows; at most \(WarehouseEntry.maximumRows) are written.")
        }
        return incoming
    }

    private static func placed<T>(_ index: Int, of count: Int, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let problem as SubmissionProblem where count > 1 {
            throw SubmissionProblem(problem.code, "\(problem.message) (line \(index + 1) of the batch)")
        }
    }

    /// One document, or the lines of a batch. Blank lines are passed over.
    private func documents(in opened: OpenedEnvelope) throws -> [Data] {
        guard opened.contentType == .batch else { return [opened.payload] }
        let lines = Self.lines(of: opened.payload)
        guard !lines.isEmpty else { throw SubmissionProblem("batch-empty", "The batch holds no resource.") }
        guard lines.count <= maximumResources else {
            throw SubmissionProblem(
                "batch-too-large", "The batch holds \(lines.count) resources; at most \(maximumResources) are taken.")
        }
        return lines
    }

    /// The lines that hold more than spaces and tabs.
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
                "resource-type-not-accepted", "Resources of the type \(converted.resourceType) are not taken here.")
        }
        if let problem = try validation.problem(in: converted, budget: budget) { throw problem }
        let owners = version == nil ? document.owners : converted.owners.local(to: ownBases)
        guard let subject = owners.one else {
            throw owners.patients.isEmpty
                ? SubmissionProblem(
                    "subject-missing",
                    "The \(converted.resourceType) does not say which participant (Patient) it is about.")
                : SubmissionProblem(
                    "subject-ambiguous",
                    "The \(converted.resourceType) belongs to more than one Patient, or to one it does not name.")
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
                // The bytes as they came are kept as those of an older release are.
                changedFrom = version ?? FHIRVersion.r4.number
            }
        }
        let original = changedFrom.map { OriginalContent(bytes: document.bytes, fhirVersion: $0) }
        let contract = converted.as(Contract.self).map {
            contracts.verdict(on: $0, original: original, in: published.consents)
        }
        let (admitted, isReduced) = try admitted(converted, form: form, submission: submission)
        // Of what was reduced the bytes as they came are not kept.
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

    /// The resource as it may be stored, by what it tells of who the person is.
    private func admitted(
        _ resource: Resource, form: PublishedStudy.Form?, submission: QueuedSubmission
    ) throws -> (resource: Resource, isReduced: Bool) {
        // The wish to take part no more is honoured however it is written.
        let isWithdrawal = resource.resourceType == Consent.resourceType && ConsentSignal.maySayNoMore(resource)
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

    /// The resource as R4, with the version that it came in where that is another.
    private func inR4(
        _ resource: Resource, labelled opened: OpenedEnvelope, budget: StepBudget
    ) throws -> (Resource, String?) {
        if let name = opened.fhirVersion, opened.format == .jwe, FHIRVersion(label: name) == nil {
            throw SubmissionProblem(
                "fhir-version-unsupported", "The FHIR version \(Self.printable(name)) is not known here.")
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
                "The \(resource.resourceType) cannot be read as FHIR \(version.number) and made R4.")
        }
    }

    /// A resource that comes without an id gets one that is the same each time the submission is handled.
    private static func id(of submission: QueuedSubmission, index: Int) -> String {
        let name = "\(submission.clientID)\n\(submission.submissionID)\n\(index)"
        return UUID(SHA256.hash(data: Data(name.utf8)), version: .custom).lowercaseText
    }

    private static func printable(_ text: String) -> String {
        String(text.prefix(20).filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
    }
}
