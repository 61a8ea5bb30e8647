import FHIR
import Foundation

extension ClinicalRecord {
    /// The system of the identifier with the id that a record has at the hospital.
    public static let idSystem = "urn:tributary:clinical-record-id"

    /// The types of clinical records whose `identifier` is a list.
    private static let haveIdentifiers: Set<String> = [
        "AllergyIntolerance", "CarePlan", "CareTeam", "Condition", "Coverage", "Device", "DiagnosticReport",
        "DocumentReference", "Encounter", "FamilyMemberHistory", "Goal", "Immunization", "Medication",
        "MedicationAdministration", "MedicationDispense", "MedicationRequest", "MedicationStatement", "Observation",
        "Procedure", "ServiceRequest",
    ]

    /// Returns the record as an R4 resource: the resource itself if it is in R4 or was converted
    /// (``converted(toR4:)``), otherwise a document that contains it (``document(subject:)``).
    ///
    /// - Without a subject, the resource is unchanged.
    /// - With a subject, the resource is adapted for a store with many people. Its id is replaced by one that cannot
    ///   collide with another hospital's, and references between the records are changed accordingly. All references to
    ///   the patient are replaced by references to the subject, without display or identifier. The original id becomes
    ///   one of its identifiers.
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

    /// The resource in R4; nil if it is not in R4 and was not converted.
    private var inR4: JSON? {
        if let r4 { return r4 }
        return release == .r4 ? .some(fhir) : .none
    }

    /// Returns the document with the original of a resource that was converted to R4, because a conversion can omit
    /// data that R4 has no element for; nil for all other records.
    public func original(subject: String?) -> JSON? { r4.map { _ in document(subject: subject) } }

    /// Returns a DocumentReference that contains the unchanged resource of any release, and states the release. If the
    /// record was converted, it refers to the R4 resource.
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

    /// HealthKit's type, if the table contains it.
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
    /// The resource, and the original of a clinical record that was converted to R4.
    public var resources: [JSON] {
        [resource] + ((record as? ClinicalRecord)?.original(subject: subject).map { [$0] } ?? [])
    }
}

/// Rewrites the references of a resource that is copied from a hospital's server to the study's.
private struct ReferenceRewriting {
    let server: String?
    let subject: String
    /// Whether the record, and with it the records that it refers to, were converted to R4.
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
            let id = ClinicalRecord.resourceFingerprint(server: server, type: target.type, id: target.id)
                .resourceID(subject: subject)
            var result = object
            let type = isConverted ? ClinicalRecord.newerName(target.type) : target.type
            result["reference"] = .string(type + "/" + id)
            return .object(result)
        default: return value
        }
    }

    /// Returns the type and the id of a reference to the same server. For references to patients, any server is
    /// accepted.
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
