import Crypto
import FHIR
import FHIRVersions
import Foundation
import HealthData
import Storage
import Wire

/// Reads an opened payload: the resources in it as R4, each with the participant it is about. Pure.
struct SubmissionReader {
    /// The types that a device may send.
    static let acceptedTypes = ClinicalRecord.resourceTypes.union([
        Contract.resourceType, Consent.resourceType, Patient.resourceType, QuestionnaireResponse.resourceType,
        Observation.resourceType, Device.resourceType, Encounter.resourceType,
    ])

    let maximumResources: Int
    let validation: SubmissionValidation

    /// - Throws: ``SubmissionProblem`` at the first resource that cannot be taken: a submission is taken whole or not.
    func read(_ opened: OpenedEnvelope, submission: QueuedSubmission) throws -> [IncomingResource] {
        let documents = try documents(in: opened)
        var incoming: [IncomingResource] = []
        incoming.reserveCapacity(documents.count)
        for (index, bytes) in documents.enumerated() {
            let place = documents.count > 1 ? " (line \(index + 1) of the batch)" : ""
            do {
                incoming.append(try read(bytes, index: index, opened: opened, submission: submission))
            } catch let problem as SubmissionProblem {
                throw SubmissionProblem(problem.code, problem.message + place)
            }
        }
        return incoming
    }

    /// One document, or the lines of a batch. Blank lines are passed over.
    private func documents(in opened: OpenedEnvelope) throws -> [Data] {
        guard opened.contentType == .batch else { return [opened.payload] }
        let lines = opened.payload.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
            .filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
        guard !lines.isEmpty else { throw SubmissionProblem("batch-empty", "The batch holds no resource.") }
        guard lines.count <= maximumResources else {
            throw SubmissionProblem(
                "batch-too-large", "The batch holds \(lines.count) resources; at most \(maximumResources) are taken.")
        }
        return lines.map { Data($0) }
    }

    private func read(
        _ bytes: Data, index: Int, opened: OpenedEnvelope, submission: QueuedSubmission
    ) throws -> IncomingResource {
        let resource: Resource
        do {
            resource = try Resource(bytes)
        } catch let error as JSONError {
            throw SubmissionProblem(error.code.rawValue, error.message)
        } catch let error as ResourceError {
            throw SubmissionProblem(error.code, error.message)
        }
        let (converted, version) = try inR4(resource, labelled: opened)
        guard Self.acceptedTypes.contains(converted.resourceType) else {
            throw SubmissionProblem(
                "resource-type-not-accepted", "Resources of the type \(converted.resourceType) are not taken here.")
        }
        if let problem = validation.problem(in: converted) { throw problem }
        guard let subject = Self.subject(of: converted) else {
            throw SubmissionProblem(
                "subject-missing", "The \(converted.resourceType) does not say which participant (Patient) it is about."
            )
        }
        let given = converted.id.flatMap { Resource.isID($0) ? $0 : nil }
        return IncomingResource(
            resource: converted, content: version == nil ? bytes : converted.json.data(),
            original: version.map { (bytes, $0) }, subject: subject,
            id: given ?? Self.id(of: submission, index: index))
    }

    /// The resource as R4, with the version that it came in where that is another.
    private func inR4(_ resource: Resource, labelled opened: OpenedEnvelope) throws -> (Resource, String?) {
        if let name = opened.fhirVersion, opened.format == .jwe, FHIRVersion(label: name) == nil {
            throw SubmissionProblem(
                "fhir-version-unsupported", "The FHIR version \(Self.printable(name)) is not known here.")
        }
        let version = FHIRVersion.of(
            resource, label: opened.fhirVersion, fallback: opened.format == .c3pro ? .dstu2 : .r4)
        guard version != .r4 else { return (resource, nil) }
        do {
            return (try FHIRConversion.toR4(resource, from: version).resource, version.number)
        } catch {
            throw SubmissionProblem(
                "fhir-conversion-failed",
                "The \(resource.resourceType) cannot be read as FHIR \(version.number) and made R4.")
        }
    }

    /// The id of the Patient that the resource is about; nil where it names none.
    static func subject(of resource: Resource) -> String? {
        let reference: Reference?
        switch resource.resourceType {
        case Patient.resourceType: return resource.id.flatMap { Resource.isID($0) ? $0 : nil }
        case Contract.resourceType:
            reference = Contract(resource.object).signer.lazy.compactMap(\.party)
                .first { $0.literal?.type == Patient.resourceType }
        case Consent.resourceType, Device.resourceType, "AllergyIntolerance", "Immunization":
            reference = resource.element("patient")
        case "Coverage": reference = resource.element("beneficiary")
        default: reference = resource.element("subject")
        }
        guard let literal = reference?.literal, literal.type == Patient.resourceType else { return nil }
        return literal.id
    }

    /// A resource that comes without an id gets one that is the same each time the submission is handled.
    private static func id(of submission: QueuedSubmission, index: Int) -> String {
        let name = "\(submission.clientID)\n\(submission.submissionID)\n\(index)"
        var bytes = Array(SHA256.hash(data: Data(name.utf8)).prefix(16))
        // RFC 9562 section 5.8: version 8 is for an application's own way of making the bits.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { NSUUID(uuidBytes: $0).uuidString.lowercased() } ?? ""
        }
    }

    private static func printable(_ text: String) -> String {
        String(text.prefix(20).filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
    }
}
