import FHIR
import Foundation

extension ClinicalRecord {
    /// The system of the identifier that holds the id a record had at the hospital.
    public static let idSystem = "urn:tributary:clinical-record-id"

    /// The types of clinical records that can have many identifiers.
    private static let haveIdentifiers: Set<String> = [
        "AllergyIntolerance", "CarePlan", "CareTeam", "Condition", "Coverage", "Device", "DiagnosticReport",
        "DocumentReference", "Encounter", "FamilyMemberHistory", "Goal", "Immunization", "Medication",
        "MedicationAdministration", "MedicationDispense", "MedicationRequest", "MedicationStatement", "Observation",
        "Procedure", "ServiceRequest",
    ]

    /// The record as a resource of R4: the resource itself where it is written in R4 or was converted
    /// (``converted(toR4:)``), else a document that holds it (``document(subject:)``).
    ///
    /// - Without a subject, the resource is passed on as it is.
    /// - With a subject, it is made fit to stand among the resources of many people: its id becomes one that no other
    ///   hospital's can meet, references between the records are rewritten in the same way, every reference to the
    ///   patient becomes the subject's, without display or identifier, and the id it had becomes one of its identifiers.
    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        guard let resource = inR4 else { return document(subject: subject) }
        guard let subject else { return resource }
        let moved = ReferenceRewriting(server: server, subject: subject, isConverted: r4 != .none).moved(resource)
        guard var object = moved.object else { return moved }
        object.set("id", .string(id(subject: subject)), at: 1)
        for member in ["subject", "patient", "beneficiary"] where object[member]?.object != nil {
            object[member] = ["reference": .string("Patient/" + subject)]
        }
        if let serverID, Self.haveIdentifiers.contains(resourceType) {
            let known = object["identifier"]?.array ?? []
            object["identifier"] = .array(known + [["system": .string(Self.idSystem), "value": .string(serverID)]])
        }
        if !extensions.isEmpty { object["extension"] = .array((object["extension"]?.array ?? []) + extensions) }
        return .object(object)
    }

    /// The resource in R4; nil where it is not written in R4 and was not converted.
    private var inR4: JSON? {
        if let r4 { return r4 }
        return release == .r4 ? .some(fhir) : .none
    }

    /// The document with the original of a resource that was brought to R4: a conversion may leave out what R4 has no
    /// place for. nil for all others.
    public func original(subject: String?) -> JSON? { r4.map { _ in document(subject: subject) } }

    /// A DocumentReference that holds the resource as it is, whatever its release, and names the release. Where there is
    /// a resource in R4 beside it, it points there.
    public func document(subject: String?) -> JSON {
        var object = JSONObject()
        object["resourceType"] = "DocumentReference"
        object["id"] = .string(id(subject: subject))
        object["identifier"] = .array(identifiers)
        object["status"] = "current"
        object["type"] = typeConcept
        if let subject { object["subject"] = ["reference": .string("Patient/" + subject)] }
        if let received { object["date"] = .string(received.text) }
        object["description"] = .string(
            "\(resourceType) in FHIR \(release == .unknown ? "of unknown release" : release.rawValue)")
        var attachment = JSONObject()
        attachment["contentType"] = .string("application/fhir+json" + (mimeVersion.map { ";fhirVersion=" + $0 } ?? ""))
        attachment["data"] = .string(Data(fhir.bytes()).base64EncodedString())
        object["content"] = [["attachment": .object(attachment)]]
        if let type = r4?["resourceType"]?.string, let id = subject.map({ id(subject: $0) }) ?? serverID {
            object["context"] = ["related": [["reference": .string(type + "/" + id)]]]
        }
        return .object(object)
    }

    /// HealthKit's type where the table knows it.
    private var typeConcept: JSON {
        guard let type, let row = HealthType.all.first(where: { $0.identifier == type }) else { return kind.concept }
        return CodeableConcept(coding: row.codings, text: row.title).json
    }

    /// The `fhirVersion` of the media type (<https://hl7.org/fhir/R4/http.html#version-parameter>).
    private var mimeVersion: String? {
        switch release {
        case .dstu2: "1.0"
        case .r4: "4.0"
        case .unknown: nil
        }
    }
}

extension HealthSpecial {
    /// The resource, and the original of a clinical record that was brought to R4.
    public var resources: [JSON] {
        [resource] + ((record as? ClinicalRecord)?.original(subject: subject).map { [$0] } ?? [])
    }
}

/// Rewrites the references of a resource that is moved from a hospital's server to the study's.
private struct ReferenceRewriting {
    let server: String?
    let subject: String
    /// Whether the record was brought to R4, and with it those that it refers to.
    let isConverted: Bool

    func moved(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): return .array(elements.map(moved))
        case .object(let object):
            guard let reference = object["reference"]?.string, let target = target(reference) else {
                var result = JSONObject()
                for member in object.members { result[member.key] = moved(member.value) }
                return .object(result)
            }
            if target.type == "Patient" { return ["reference": .string("Patient/" + subject)] }
            let id = ClinicalRecord.place(server: server, type: target.type, id: target.id)
                .resourceID(subject: subject)
            var result = object
            let type = isConverted ? ClinicalRecord.newerName(target.type) : target.type
            result["reference"] = .string(type + "/" + id)
            return .object(result)
        default: return value
        }
    }

    /// The type and the id of a reference to the same server. A reference to a patient counts wherever it points.
    private func target(_ reference: String) -> (type: String, id: String)? {
        var text = reference[...]
        var isElsewhere = false
        if text.contains("://") {
            if let server, text.hasPrefix(server + "/") {
                text = text.dropFirst(server.count + 1)
            } else {
                isElsewhere = true
            }
        }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if let history = parts.lastIndex(of: "_history") { parts.removeSubrange(history...) }
        guard parts.count >= 2, let id = parts.last, !id.isEmpty else { return nil }
        let type = parts[parts.count - 2]
        guard ClinicalRecord.isName(type), type.first?.isUppercase == true else { return nil }
        if isElsewhere { return type == "Patient" ? (type, id) : nil }
        return parts.count == 2 ? (type, id) : nil
    }
}
