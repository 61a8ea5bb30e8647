import FHIR

/// The resource types that have another name in R4 (<https://hl7.org/fhir/R4/history.html>).
enum ResourceNames {
    static let renamed = [
        "BodySite": "BodyStructure",
        "Conformance": "CapabilityStatement",
        "DeviceUseRequest": "DeviceRequest",
        "DiagnosticOrder": "ServiceRequest",
        "DiagnosticRequest": "ServiceRequest",
        "EligibilityRequest": "CoverageEligibilityRequest",
        "EligibilityResponse": "CoverageEligibilityResponse",
        "MedicationOrder": "MedicationRequest",
        "ProcedureRequest": "ServiceRequest",
        "QuestionnaireAnswers": "QuestionnaireResponse",
        "ReferralRequest": "ServiceRequest",
        "Sequence": "MolecularSequence",
    ]

    /// Returns R4's name of a type; `Basic` for a type without a successor, nil for an unknown type.
    ///
    /// Procedure requests of DSTU2 and of STU3 are both R4's ServiceRequest.
    static func newer(_ type: String, in source: ElementTable) -> String? {
        if let name = renamed[type] { return name }
        if FHIRConversion.resourceTypes.contains(type) { return type }
        guard source.describesResource(type) else { return nil }
        return ElementTable.r4.describesResource(type) ? type : "Basic"
    }

    /// Returns the relative or absolute URL of a resource (`DiagnosticOrder/1`) with the newer name of its type; nil if
    /// it is unchanged. An absolute URL is only renamed if it is known to be the URL of such a resource.
    static func renamed(url: String, in source: ElementTable, isAbsolute: Bool = false) -> (text: String, type: String)?
    {
        var parts = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let index = isAbsolute ? parts.count - 2 : 0
        guard parts.count > 1, parts.indices.contains(index), let new = newer(parts[index], in: source),
            new != parts[index]
        else { return nil }
        parts[index] = new
        return (parts.joined(separator: "/"), new)
    }
}
