import AccessPolicy
import Core
import FHIR
import Foundation
import Wire

/// The Consent of a permission (<https://hl7.org/fhir/R4/consent.html>). It follows from the request and the row of the
/// permission alone, so that it can be compared with them.
enum PermissionConsent {
    /// Returns the Consent of a new permission, or of one that was ended.
    ///
    /// - Parameters:
    ///   - terms: the terms of the request.
    ///   - body: the request, byte for byte.
    static func resource(
        of permission: String, for grantee: CsiGuid, patient: String, terms: PermissionTerms, body: Data,
        isEnded: Bool
    ) -> Consent {
        let person = Reference("Patient/" + patient)
        var consent = Consent(
            id: permission, status: isEnded ? .inactive : .active,
            scope: .coded(hl7 + "consentscope", "patient-privacy"),
            category: [.coded("http://loinc.org", "59284-0"), .coded(actCode, "INFA")])
        consent.patient = person
        consent.dateTime = DateTime(terms.timeStamp.text)
        consent.performer = [person]
        var attachment = Attachment()
        attachment.contentType = "application/json"
        attachment.data = body.base64EncodedString()
        consent.source = .attachment(attachment)
        consent.policyRule = .coded(actCode, "OPTIN")
        consent.provision = provision(terms, for: grantee)
        return consent
    }

    private static func provision(_ terms: PermissionTerms, for grantee: CsiGuid) -> Consent.Provision {
        let scope = terms.scope
        var provision = Consent.Provision()
        provision.type = .permit
        var period = Period()
        period.start = DateTime(terms.start.text)
        period.end = DateTime(terms.end.text)
        provision.period = period
        provision.actor = [
            Consent.Provision.Actor(role: .coded(hl7 + "v3-ParticipationType", "IRCP"), reference: .csi(grantee))
        ]
        let actions = scope.access == .write ? ["access", "correct"] : ["access"]
        provision.action = actions.map { .coded(hl7 + "consentaction", $0) }
        provision.securityLabel =
            [Coding(system: SecurityLabels.confidentialitySystem, code: scope.confidentiality)]
            + scope.sensitivities.map { Coding(system: SecurityLabels.system(ofSensitivity: $0), code: $0) }
        switch scope.types {
        case .listed(let types): provision.`class` = types.map(coding)
        case .all:
            // All types except for these.
            var exception = Consent.Provision()
            exception.type = .deny
            exception.`class` = PermissionLimits.withheldTypes.sorted().map(coding)
            provision.provision = [exception]
        }
        return provision
    }

    private static func coding(_ type: String) -> Coding {
        Coding(system: "http://hl7.org/fhir/resource-types", code: type)
    }

    private static let hl7 = "http://terminology.hl7.org/CodeSystem/"
    private static let actCode = hl7 + "v3-ActCode"
}

/// The Provenance of a version of a permission's Consent (<https://hl7.org/fhir/R4/provenance.html>).
enum PermissionProvenance {
    /// Returns the id of the Provenance of a version.
    static func id(of permission: String, version: Int64) -> String { "\(permission)-\(version)" }

    /// Returns the Provenance.
    ///
    /// - Parameters:
    ///   - version: the version of the Consent.
    ///   - parent: the permission that was passed on, for the first version.
    static func resource(
        of permission: String, version: Int64, patient: String, by author: PermissionAuthor,
        parent: String?, at: Date
    ) -> Provenance {
        var target = Reference("Consent/\(permission)/_history/\(version)")
        target.type = Consent.resourceType
        var agent = Provenance.Agent(who: author.who)
        agent.type = .coded("http://terminology.hl7.org/CodeSystem/provenance-participant-type", "author")
        agent.onBehalfOf = Reference("Patient/" + patient)
        var provenance = Provenance(
            id: id(of: permission, version: version), target: [target], recorded: DateTime(at), agent: [agent])
        if case .csi(_, let request) = author { provenance.occurred = .dateTime(DateTime(request.time.date)) }
        provenance.activity = .coded(
            "http://terminology.hl7.org/CodeSystem/v3-DataOperation", version == 1 ? "CREATE" : "UPDATE")
        if version > 1 {
            let former = Reference("Consent/\(permission)/_history/\(version - 1)")
            provenance.entity = [Provenance.Entity(role: .revision, what: former)]
        } else if let parent {
            provenance.entity = [Provenance.Entity(role: .derivation, what: Reference("Consent/" + parent))]
        }
        provenance.signature = [author.signature].compactMap { $0 }
        return provenance
    }
}

extension CodeableConcept {
    /// Returns a concept with one coding.
    fileprivate static func coded(_ system: String, _ code: String) -> CodeableConcept {
        CodeableConcept(coding: [Coding(system: system, code: code)])
    }
}
